// Package limit defines the bounds of one request of the service, which addresses count as one client, and how the work of
// a call is charged to its client. The service enforces the bounds; clients and the REST gateway, which do not import the
// service, use the same constants.
package limit

const (
	// MaxBatch is the largest number of messages in one batch (P10.3).
	MaxBatch = 100
	// MaxPage is the largest number of items on one page of a list. A larger limit is served as MaxPage.
	MaxPage = 200
	// DefaultPage is the number of items on a page when a request has no limit.
	DefaultPage = 50
)
