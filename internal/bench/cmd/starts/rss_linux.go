package main

// rssUnit is how many of ru_maxrss make a KiB: getrusage(2) of Linux counts KiB.
const rssUnit = 1
