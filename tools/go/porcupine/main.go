// Checks histories of a shared state for linearizability with Porcupine. Each step must appear to take effect at one moment between its
// call and its return.
//
//	porcupine < HISTORIES
//
// A history is a line of JSON with the steps of its clients (type step). Prints the number of each impossible history, from 0, one per
// line, followed by "?" if the check took more than 20 seconds.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// Step of a client, with its call and return times on one clock. Sessions are named "client@host/number".
type step struct {
	Op      string `json:"op"`
	Session string `json:"session"`
	Address string `json:"address"`
	Value   string `json:"value"`
	// Whether the step is known to have succeeded. Otherwise, it may or may not have taken effect.
	Ok bool `json:"ok"`
	// Whether a lock step can take over the lock of a run on another host.
	TakesOver bool `json:"takesOver"`
	// State seen by a read, lock or commit.
	Seen   *view `json:"seen"`
	Call   int64 `json:"call"`
	Return int64 `json:"return"`
}

// State as a reader sees it, which is the committed state with the journal applied.
type view struct {
	Serial  int               `json:"serial"`
	Objects map[string]string `json:"objects"`
	Pending map[string]string `json:"pending"`
}

// State of the model, with the view of a reader and the facts that determine which client can write.
type model struct {
	view
	// Session that owns the lock, or "".
	holder string
	// Whether the owner's lock was removed. The owner can continue until another session takes the lock.
	removed bool
	// Committed state.
	stored view
	// Killed clients.
	dead map[string]bool
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<26)
	for number := 0; input.Scan(); number++ {
		var steps []step
		if err := json.Unmarshal(input.Bytes(), &steps); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		switch judge(steps) {
		case porcupine.Illegal:
			fmt.Println(number)
		case porcupine.Unknown:
			fmt.Printf("%d?\n", number)
		}
	}
}

func judge(steps []step) porcupine.CheckResult {
	operations := make([]porcupine.Operation, 0, len(steps))
	for _, one := range steps {
		operations = append(operations, porcupine.Operation{Input: one, Call: one.Call, Return: one.Return})
	}
	state := porcupine.NondeterministicModel{
		Init:  func() []any { return []any{model{}} },
		Step:  func(state, input, _ any) []any { return next(state.(model), input.(step)) },
		Equal: func(a, b any) bool { return same(a.(model), b.(model)) },
	}
	return porcupine.CheckOperationsTimeout(state.ToModel(), operations, 20*time.Second)
}

// Returns the states that a step can lead to, or none if it is impossible.
func next(now model, s step) []any {
	owns := now.holder == s.Session
	switch s.Op {
	case "read":
		return only(now, s.sees(now.view))
	case "kill":
		now.dead = with(now.dead, s.Session, true)
		return []any{now}
	case "lock":
		return lock(now, s)
	case "evict":
		// A failed lock attempt may still have removed the lock of a killed client.
		return []any{now, evicted(now, s)}
	case "unlock":
		// Removes the lock that the client found, if the lock still exists.
		removed := now
		removed.removed = owns || now.removed || s.Session == ""
		return perhaps(now, removed, s.Ok)
	case "release":
		if !owns {
			return []any{now}
		}
		free := now
		free.holder, free.removed = "", false
		return perhaps(now, free, s.Ok)
	}
	if !owns {
		return only(now, !s.Ok)
	}
	done := now
	switch s.Op {
	case "intent":
		done.Pending = with(now.Pending, s.Address, s.Value)
	case "complete":
		done.Pending, done.Objects = without(now.Pending, s.Address), with(now.Objects, s.Address, s.Value)
	case "discard":
		done.Pending = without(now.Pending, s.Address)
	case "commit":
		done = committed(now)
		if s.Ok && !s.sees(done.view) {
			return nil
		}
	default:
		panic(s.Op)
	}
	return perhaps(now, done, s.Ok)
}

// Takes the lock and completes the last owner's journal.
func lock(before model, s step) []any {
	now := evicted(before, s)
	if now.holder != "" && !now.removed && !s.TakesOver {
		return only(before, !s.Ok)
	}
	held := committed(now)
	held.holder, held.removed = s.Session, false
	if s.Ok {
		return only(held, s.sees(held.view))
	}
	// The client may have died between taking the lock and completing the journal.
	taken := now
	taken.holder, taken.removed = s.Session, false
	return []any{before, now, taken, held}
}

// Removes the lock of a killed client, whose death is visible only on its own host.
func evicted(now model, s step) model {
	client, _, _ := strings.Cut(now.holder, "/")
	_, hostOfHolder, _ := strings.Cut(client, "@")
	_, host, _ := strings.Cut(strings.Split(s.Session, "/")[0], "@")
	if now.dead[client] && host == hostOfHolder {
		now.holder, now.removed = "", false
	}
	return now
}

func committed(now model) model {
	if !sameView(now.view, now.stored) {
		now.Serial++
		now.stored = now.view
	}
	return now
}

func (s step) sees(now view) bool {
	return s.Seen != nil && sameView(*s.Seen, now)
}

func only(state model, legal bool) []any {
	if !legal {
		return nil
	}
	return []any{state}
}

func perhaps(before, after model, certain bool) []any {
	if certain {
		return []any{after}
	}
	return []any{before, after}
}

func with[Value any](all map[string]Value, key string, value Value) map[string]Value {
	more := map[string]Value{key: value}
	for other, one := range all {
		if other != key {
			more[other] = one
		}
	}
	return more
}

func without(all map[string]string, key string) map[string]string {
	fewer := maps.Clone(all)
	delete(fewer, key)
	return fewer
}

func same(a, b model) bool {
	return a.holder == b.holder && a.removed == b.removed && sameView(a.view, b.view) && sameView(a.stored, b.stored) && maps.Equal(a.dead, b.dead)
}

func sameView(a, b view) bool {
	return a.Serial == b.Serial && maps.Equal(a.Objects, b.Objects) && maps.Equal(a.Pending, b.Pending)
}
