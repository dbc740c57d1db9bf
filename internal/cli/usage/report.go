package usage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	"makechain/internal/genesis"
	"makechain/internal/ledger"
	"makechain/internal/store"
	"makechain/internal/term"
	"makechain/message"
)

// The exit codes of the program.
const (
	ExitOK          = 0
	ExitFailed      = 1 // refused, or failed in another way
	ExitUsage       = 2
	ExitUnreachable = 3
	ExitInterrupted = 130 // as a shell reports a program that SIGINT ended
)

// ExitCode returns the exit code for an error. It is the only place that maps errors to exit codes.
func ExitCode(err error) int {
	wrong := (*Error)(nil)
	malformed := (*client.NameError)(nil)
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &wrong), errors.As(err, &malformed):
		return ExitUsage
	case client.IsUnreachable(err):
		return ExitUnreachable
	default:
		return ExitFailed
	}
}

// Report prints an error and the advice that belongs to it.
func Report(out io.Writer, err error) {
	if err == nil {
		return
	}
	text := "makechain: " + Describe(err) + "\n"
	if next := Advice(err); next != "" {
		text += "try: " + next + "\n"
	}
	_, _ = io.WriteString(out, text) // there is no other place to report it
}

// Describe returns the message of an error, without the layers that it passed through.
func Describe(err error) string {
	answered, named := (*connect.Error)(nil), (*client.NodeError)(nil)
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.As(err, &named):
		return "node " + named.Node + ": " + Describe(named.Err)
	case errors.Is(err, http.ErrSchemeMismatch):
		return "the server at this address does not use TLS"
	case client.IsOtherServer(err):
		return "no node answers at this address: " + innermost(err)
	case client.IsUnreachable(err):
		return "cannot reach the node: " + innermost(err)
	case errors.Is(err, context.DeadlineExceeded), connect.CodeOf(err) == connect.CodeDeadlineExceeded:
		return "the node did not answer in time"
	case errors.As(err, &answered) && connect.IsWireError(err):
		return "the node answers " + answered.Code().String() + ": " + term.Text(answered.Message())
	default:
		return err.Error()
	}
}

// innermost returns the message of the error that all others wrap.
func innermost(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// advisedError is an error with a next step.
type advisedError struct {
	error

	next string
}

func (e *advisedError) Unwrap() error { return e.error }

// Advise adds the next step to an error; it is printed after "try: ".
func Advise(err error, format string, args ...any) error {
	return &advisedError{error: err, next: fmt.Sprintf(format, args...)}
}

// IsAdvised reports whether Advise has added a next step to an error.
func IsAdvised(err error) bool {
	advised := (*advisedError)(nil)
	return errors.As(err, &advised)
}

// Advice returns the next step after an error, or "".
func Advice(err error) string {
	advised := (*advisedError)(nil)
	wrong := (*Error)(nil)
	refused := (*client.RefusedError)(nil)
	ambiguous := (*client.AmbiguousError)(nil)
	missing := (*client.NotFoundError)(nil)
	unsupported := (*ledger.UnsupportedRulesError)(nil)
	switch {
	case errors.As(err, &advised):
		return advised.next
	case errors.As(err, &wrong) && wrong.Command != "":
		return wrong.Command + " --help"
	case errors.As(err, &refused):
		return refusalAdvice(refused)
	case errors.As(err, &ambiguous):
		return "one of these, or more digits"
	case errors.As(err, &missing):
		return missingAdvice(missing)
	case errors.Is(err, client.ErrUnknownMessage):
		return "the same command again; the node may have restarted"
	case errors.Is(err, genesis.ErrRules), errors.Is(err, store.ErrFormat):
		return versionAdvice
	case errors.As(err, &unsupported):
		return fmt.Sprintf("a release of makechain with rules version %d, with the same home", unsupported.Version)
	case errors.Is(err, http.ErrSchemeMismatch):
		return "--node without https://"
	case client.IsOtherServer(err):
		return "--node with the gRPC address that makechain node prints, or https://host if it uses TLS"
	case client.IsUnreachable(err):
		return "makechain node, in another terminal; or --node host:port for a remote node"
	default:
		return ""
	}
}

// missingAdvice returns the next step after a name that was not found.
func missingAdvice(missing *client.NotFoundError) string {
	return map[string]string{
		"account":       "an address (0x...), or makechain account create",
		"project":       "makechain project list, or makechain project search",
		"ref":           refAdvice,
		"ref or commit": refAdvice,
		"commit":        refAdvice,
		"merge request": "makechain mr list",
	}[missing.Kind]
}

const (
	refAdvice   = "makechain ref list, or makechain push first"
	scopeAdvice = "another --account; makechain key list shows the scopes of keys"
	mergeAdvice = "fetching and merging the latest commits first, or --force"
	laterAdvice = "the same command again later"
	doneAdvice  = "nothing: the state is already as requested"
	// versionAdvice is for homes and genesis files of another version of the rules or of the storage format.
	versionAdvice = "the release of makechain that created this chain; or makechain node --home <new directory> for a new chain, " +
		"on which the keys of accounts remain valid"
)

// refusalAdvice returns the next step after a refusal, where the command line offers one.
func refusalAdvice(refused *client.RefusedError) string {
	if refused.Code == message.CodeTooEarly || refused.Code == message.CodeTooLate {
		return "setting the clock of this machine" + describeSkew(refused.Skew)
	}
	return map[message.Code]string{
		message.CodeNoUsableStorage: "makechain storage show; makechain account create, which gets a username and storage from the faucet, " +
			"or, without a faucet, makechain storage buy and makechain storage claim",
		message.CodeNameTaken:              "another name; makechain project list shows yours",
		message.CodeUsernameTaken:          "another username",
		message.CodeUnknownSigner:          "makechain key add, or another --account",
		message.CodeCustodyNotAuthorized:   "--wallet with the root or an active admin key; makechain custody list shows them",
		message.CodeCustodyNonceMismatch:   "the same command again: another change of the account's keys was committed first",
		message.CodeKeyRevoked:             "another wallet: a revoked key cannot be authorized again",
		message.CodeInsufficientScope:      scopeAdvice,
		message.CodeProjectNotAllowed:      scopeAdvice,
		message.CodeInsufficientPermission: "asking the owner or an admin of the project; makechain collaborator list shows them",
		message.CodeNotFastForward:         mergeAdvice,
		message.CodeRefHashMismatch:        mergeAdvice,
		message.CodeRefNonceMismatch:       mergeAdvice,
		message.CodeQuotaExceeded: "makechain storage show, which prints the limits; makechain account create <name> --units <more> " +
			"with a faucet, makechain storage buy and makechain storage claim without one; or removing something",
		message.CodeWrongNetwork:   "an --account on the network of the node",
		message.CodeNotAFork:       "makechain project fork, and a merge request from the fork",
		message.CodeNotMerged:      "makechain mr merge, or a push of the target branch first",
		message.CodeMempoolFull:    laterAdvice,
		message.CodeMempoolEvicted: laterAdvice,
		client.CodeExpired:         laterAdvice,
		message.CodeDuplicate:      doneAdvice,
		message.CodeNothingNew:     doneAdvice,
	}[refused.Code]
}

// describeSkew describes the difference between the clocks of this machine and the node, where it explains the refusal.
func describeSkew(skew time.Duration) string {
	switch {
	case skew.Abs() < time.Minute:
		return " or of the node: they may differ by 5 minutes at most"
	case skew > 0:
		return fmt.Sprintf(": it is %s ahead of the node's", skew)
	default:
		return fmt.Sprintf(": it is %s behind the node's", -skew)
	}
}
