package rest

import (
	"reflect"
	"strconv"
	"testing"

	"makechain/internal/limit"
)

// TestLimitTags checks that the tags of the limit parameter, which cannot refer to constants, have the protocol's limits.
func TestLimitTags(t *testing.T) {
	t.Parallel()
	field, _ := reflect.TypeFor[PageQuery]().FieldByName("Limit")
	for tag, want := range map[string]int{"default": limit.DefaultPage, "maximum": limit.MaxPage} {
		if got := field.Tag.Get(tag); got != strconv.Itoa(want) {
			t.Errorf("tag %s is %s, want %d", tag, got, want)
		}
	}
}
