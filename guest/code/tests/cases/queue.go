// Package queue holds work.
package queue

import (
	"context"
	str "strings" // names
	_ "embed"
)

import "fmt"

// Most is the largest queue.
const Most = 100

const (
	low = iota
	// High is first.
	High
)

var (
	// ErrFull says that there is no room.
	ErrFull = fmt.Errorf("full: {%d}", Most)
	cache   map[string]struct{}
)

// Queue is a queue of T.
type Queue[T any] struct {
	// Items are in order.
	Items []T `json:"items,omitempty"`
	mu    struct{ a int }
	context.Context
}

type (
	// Handler handles.
	Handler func(ctx context.Context, item any) error
	id      int
)

// Store keeps.
type Store interface {
	Put(key string, value []byte) error
	get(key string) (value []byte, ok bool)
	fmt.Stringer
}

// Push adds an item.
// It may block.
func (q *Queue[T]) Push(ctx context.Context, item T) (n int, err error) {
	s := `raw } {`
	r := '{'
	go func() {
		_ = str.ToUpper(s + string(r))
	}()
	return
}

func Map[K comparable, V any](
	in map[K]V,
	f func(K) interface{},
) map[string]interface{} {
	return nil
}

func empty() interface{} { return struct{}{} }

// 한글 is a function.
func 한글() {}
