package process

import (
	"errors"
	"fmt"
	"sort"

	"golang.org/x/sys/unix"
)

// zombieState is SZOMB of <sys/proc.h>.
const zombieState = 5

// readHere reads the boot session; macOS has no pid namespaces.
func readHere() (Here, error) {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return Here{}, fmt.Errorf("read boot session: %w", err)
	}
	return Here{BootID: boot}, nil
}

func readEntry(pid int) (Entry, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.EIO) {
		return Entry{}, ErrGone // the kernel answers an unknown pid with an empty record, which x/sys reports as EIO
	}
	if err != nil {
		return Entry{}, err
	}
	return entryOf(info), nil
}

func entryOf(info *unix.KinfoProc) Entry {
	start := info.Proc.P_starttime
	return Entry{
		ID: Identity{
			PID:       int(info.Proc.P_pid),
			StartTime: uint64(start.Sec)*1_000_000 + uint64(start.Usec),
			PGID:      int(info.Eproc.Pgid),
		},
		Parent:  int(info.Eproc.Ppid),
		Zombie:  info.Proc.P_stat == zombieState,
		Command: unix.ByteSliceToString(info.Proc.P_comm[:]),
	}
}

func listPIDs() []int {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	pids := make([]int, 0, len(infos))
	for i := range infos {
		pids = append(pids, int(infos[i].Proc.P_pid))
	}
	sort.Ints(pids)
	return pids
}

// readEnv finds nothing: macOS shows no environment of other processes (SUP-5).
func readEnv(int, string) (value string, ok bool) { return "", false }
