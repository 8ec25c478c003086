package hostinfo

import (
	"encoding/binary"
	"runtime"

	"golang.org/x/sys/unix"
)

// Values of kern.memorystatus_vm_pressure_level (dispatch/source.h: normal 1, warn 2, critical 4).
const (
	levelWarn     = 2
	levelCritical = 4
)

func (Sensors) readSystem() Reading {
	reading := Reading{CPUs: min(runtime.NumCPU(), runtime.GOMAXPROCS(0)), MemoryPressure: Low}
	if total, err := unix.SysctlUint64("hw.memsize"); err == nil {
		reading.MemoryBytes = int64(total)
	}
	if level, err := unix.SysctlUint32("kern.memorystatus_vm_pressure_level"); err == nil {
		reading.MemoryPressure, reading.PressureKnown = levelOf(level), true
	}
	if raw, err := unix.SysctlRaw("vm.loadavg"); err == nil {
		reading.Load = loadOf(raw)
	}
	return reading
}

func levelOf(level uint32) MemoryPressure {
	switch {
	case level >= levelCritical:
		return Critical
	case level >= levelWarn:
		return Elevated
	}
	return Low
}

// loadOf reads struct loadavg: three fixed-point uint32, padding, and their scale as a long.
func loadOf(raw []byte) float64 {
	const scaleAt = 16
	if len(raw) < scaleAt+8 {
		return 0
	}
	scale := binary.LittleEndian.Uint64(raw[scaleAt:])
	if scale == 0 {
		return 0
	}
	return float64(binary.LittleEndian.Uint32(raw)) / float64(scale)
}
