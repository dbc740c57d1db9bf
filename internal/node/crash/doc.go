// Package crash tests that nodes survive crashes. Its tests run a node as a process under load, and end it with SIGKILL at random
// times and at each fail point of CometBFT. Messages that the node reported as committed must be there afterwards, its store must
// be sound, and executing its blocks again must give the same roots.
package crash
