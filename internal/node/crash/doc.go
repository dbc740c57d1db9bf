// Package crash kills nodes. Its tests run a node as a process of its own, under load, and end it at random
// moments by SIGKILL and at each fail point of the consensus engine. What the node had reported as committed must
// be there afterwards, everything it stored must be sound, and blocks executed anew must give the same roots.
package crash
