package hostinfo

import "golang.org/x/sys/unix"

// freeDisk returns the bytes that this user may still write on the file system of dir, and 0 when it cannot be asked.
func freeDisk(dir string) int64 {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0
	}
	return int64(stat.Bavail * uint64(stat.Bsize))
}
