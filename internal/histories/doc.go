// Package histories tests git through makechain:// with real processes: nodes, content services, git and its remote helper.
// Histories with everything that git allows are pushed and cloned back from every kind of store, and must be the same in every
// ref and object, also after the helper, the content service and the node were killed at every step.
package histories
