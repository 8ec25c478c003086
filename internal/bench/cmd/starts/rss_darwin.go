package main

// rssUnit is how many of ru_maxrss make a KiB: getrusage(2) of macOS counts bytes.
const rssUnit = 1024
