package abci

// Reused returns the number of messages of the last executed block whose executions at admission were reused.
func (a *App) Reused() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.executions[len(a.executions)-1].result.Reused
}
