package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// document prints a JSON document. Its lists are written an element at a time: encoding/json would hold the whole text twice,
// and the plan of a board may have 100,000 cards.
func (p *printer) document(v any) error {
	d := document{p: p}
	d.encoder = json.NewEncoder(&d.buf)
	d.encoder.SetEscapeHTML(false)
	d.value(reflect.ValueOf(v), "")
	d.text("\n")
	return d.err
}

// document is one that is being written. After an error nothing more is.
type document struct {
	p       *printer
	buf     bytes.Buffer
	encoder *json.Encoder
	err     error
}

func (d *document) text(s string) {
	if d.err == nil {
		_, d.err = d.p.w.WriteString(s)
	}
}

// value writes a value whose lines begin with this indentation.
func (d *document) value(v reflect.Value, indent string) {
	for v.Kind() == reflect.Pointer && !v.IsNil() && !marshals(v.Type()) {
		v = v.Elem()
	}
	switch {
	case !v.IsValid() || marshals(v.Type()):
	case v.Kind() == reflect.Struct && namesAll(v.Type()):
		d.fields(v, indent)
		return
	case v.Kind() == reflect.Slice && v.Len() > 0 && v.Type().Elem().Kind() != reflect.Uint8:
		d.elements(v, indent)
		return
	}
	d.whole(v, indent)
}

func (d *document) fields(v reflect.Value, indent string) {
	open := "{\n"
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("json")
		if name == "-" {
			continue
		}
		d.text(open + indent + `  "` + name + `": `)
		d.value(v.Field(i), indent+"  ")
		open = ",\n"
	}
	d.text("\n" + indent + "}")
}

func (d *document) elements(v reflect.Value, indent string) {
	d.text("[")
	for i := range v.Len() {
		if i > 0 {
			d.text(",")
		}
		d.text("\n" + indent + "  ")
		d.whole(v.Index(i), indent+"  ")
	}
	d.text("\n" + indent + "]")
}

// whole writes a value as encoding/json has it.
func (d *document) whole(v reflect.Value, indent string) {
	if d.err != nil {
		return
	}
	var value any
	if v.IsValid() {
		value = v.Interface()
	}
	d.buf.Reset()
	d.encoder.SetIndent(indent, "  ")
	if d.err = d.encoder.Encode(value); d.err == nil {
		_, d.err = d.p.w.Write(bytes.TrimSuffix(d.buf.Bytes(), []byte("\n")))
	}
}

// marshals says whether a type has its own way to be JSON.
func marshals(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]())
}

// namesAll says whether every field of a struct has a name of its own and no more: then its fields can be written one by one.
func namesAll(t reflect.Type) bool {
	for f := range t.Fields() {
		name := f.Tag.Get("json")
		if f.Anonymous || !f.IsExported() || name == "" || strings.ContainsRune(name, ',') {
			return false
		}
	}
	return t.NumField() > 0
}
