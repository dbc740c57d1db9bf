package proof

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/usage"
	"makechain/internal/schema"
	"makechain/internal/term"
	"makechain/proof"
	"makechain/proof/finality"
)

// verifier has the flags of proof verify, and the steps of a verification.
type verifier struct {
	dir connection.ConfigDir
	out output.Flags

	genesis, validators string
	anchor              anchorFlags

	steps []step
}

// step is a step of a verification and its result.
type step struct {
	Step   string `json:"step"`
	Passed bool   `json:"passed"`
	Detail string `json:"detail"`
}

// The steps of a verification, in their order.
const (
	stepFile       = "file"
	stepKey        = "key"
	stepValue      = "value"
	stepPath       = "path"
	stepHeader     = "header"
	stepValidators = "validators"
	stepSignatures = "signatures"
	stepRoot       = "root"
)

func newVerifyCommand() *cobra.Command {
	v := new(verifier)
	command := &cobra.Command{
		Use:   "verify <file>",
		Short: "Verify a proof file without a node",
		Long: `A proof leads from the key and value through the state tree to the root, and from the root to the
signatures of trusted validators. These are the validators of --genesis, of --validators, or of this
machine's first connection to a node of the chain. With --trust, a light client follows all changes
of the validators from a block whose hash you trust; it reads headers from any node (--node), which
need not be trusted.

A proof is about the state after its block; it does not show that nothing has changed since.`,
		Example: "  makechain proof verify hello.proof --genesis makechain-data/config/genesis.json\n" +
			"  makechain proof verify hello.proof --validators validators.json\n" +
			"  makechain proof verify hello.proof --trust 12001:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --node node.example:50051",
		Args: usage.Args("a file, or - for standard input"),
		RunE: func(command *cobra.Command, args []string) error { return v.run(command, args[0]) },
	}
	flags := command.Flags()
	v.dir.Register(flags)
	v.out.RegisterJSON(flags)
	flags.StringVar(&v.genesis, "genesis", "", "genesis file of the chain, whose validators are trusted")
	flags.StringVar(&v.validators, "validators", "", "file with the trusted chain and validators, from makechain proof validators")
	v.anchor.register(command)
	return command
}

func (v *verifier) run(command *cobra.Command, path string) error {
	given := slices.DeleteFunc([]string{v.genesis, v.validators, v.anchor.block}, func(flag string) bool { return flag == "" })
	if len(given) > 1 {
		return usage.Errorf(command, "--genesis, --validators and --trust exclude one another: give one")
	}
	f, err := readFile(path, command.InOrStdin())
	if err != nil {
		return err
	}
	trust, from, err := v.trust(command, f)
	if err != nil {
		return err
	}
	failure := v.verify(f, trust, from)
	return errors.Join(v.report(command, f, failure), adviseOnProof(failure))
}

// adviseOnProof adds how to follow a chain whose validators have changed.
func adviseOnProof(err error) error {
	if failure := (*stepError)(nil); errors.As(err, &failure) && failure.step == finality.StepValidators {
		return usage.Advise(err, "--trust number:hash of a block that you trust, and --node host:port, if the validators of the chain have changed")
	}
	return err
}

// stepError is the failure of a step.
type stepError struct {
	step string
	err  error
}

func (e *stepError) Error() string {
	return fmt.Sprintf("the proof fails at step %s: %v", e.step, e.err)
}

func (e *stepError) Unwrap() error { return e.err }

// pass records a step that succeeded.
func (v *verifier) pass(name, format string, args ...any) {
	v.steps = append(v.steps, step{name, true, fmt.Sprintf(format, args...)})
}

// fail records a step that failed, and returns its error.
func (v *verifier) fail(name string, err error) error {
	v.steps = append(v.steps, step{name, false, err.Error()})
	return &stepError{name, err}
}

// verify verifies a proof from its key up to the signatures of the header.
func (v *verifier) verify(f *file, trust connection.Trust, from string) error {
	if f.ChainID != trust.ChainID {
		return v.fail(stepFile, fmt.Errorf("it is about chain %q, and the trusted validators are of %q (%s)", f.ChainID, trust.ChainID, from))
	}
	v.pass(stepFile, "about chain %s after block %d", term.Text(f.ChainID), f.BlockNumber)
	key, err := schema.ParseKey(f.Key)
	if err != nil {
		return v.fail(stepKey, err)
	}
	v.pass(stepKey, "%s", describeKey(&key))
	row, err := f.row()
	switch {
	case err != nil:
		return v.fail(stepValue, err)
	case row == nil:
		v.pass(stepValue, "none: the row does not exist")
	default:
		v.pass(stepValue, "%s of %d bytes", row.ProtoReflect().Descriptor().Name(), len(f.Value))
	}
	if err := f.checkPath(); err != nil {
		return v.fail(stepPath, err)
	}
	v.pass(stepPath, "leads to root %x", []byte(f.Root))
	return v.checkFinality(f, trust, from)
}

// checkPath verifies the key and value, or the absence of the key, against the root in the f.
func (f *file) checkPath() error {
	if len(f.Root) != len([32]byte{}) {
		return fmt.Errorf("root has %d bytes", len(f.Root))
	}
	if f.Value == nil {
		return proof.VerifyExclusion([32]byte(f.Root), f.Key, f.Proof)
	}
	return proof.VerifyOperation([32]byte(f.Root), f.Key, f.Value, f.Proof)
}

// checkFinality verifies that trusted validators signed the root.
func (v *verifier) checkFinality(f *file, trust connection.Trust, from string) error {
	root, err := finality.Verify(f.LightBlock, f.BlockNumber, trust)
	failed := ""
	if err != nil {
		failed = finalityStep(err)
	}
	for _, step := range []struct{ name, detail string }{
		{stepHeader, fmt.Sprintf("of block %d of chain %s", f.BlockNumber+1, trust.ChainID)},
		{stepValidators, fmt.Sprintf("%x, from %s", trust.ValidatorsHash, from)},
		{stepSignatures, "more than two thirds of their voting power signed the header"},
	} {
		if step.name == failed {
			return v.fail(step.name, err)
		}
		v.pass(step.name, "%s", step.detail)
	}
	if root != [32]byte(f.Root) {
		return v.fail(stepRoot, fmt.Errorf("the validators signed %x", root))
	}
	v.pass(stepRoot, "the one in the header")
	return nil
}

// finalityStep returns the step at which the verification of a light block failed.
func finalityStep(err error) string {
	failed := (*proof.StepError)(nil)
	if !errors.As(err, &failed) {
		return stepHeader
	}
	switch failed.Step {
	case finality.StepValidators:
		return stepValidators
	case finality.StepPower, finality.StepSignatures:
		return stepSignatures
	default:
		return stepHeader
	}
}

// report prints the steps and what is proven.
func (v *verifier) report(command *cobra.Command, f *file, failure error) error {
	answer := struct {
		Valid bool   `json:"valid"`
		Steps []step `json:"steps"`
	}{failure == nil, v.steps}
	return v.out.PrintValue(command, answer, func(p *term.Printer) {
		facts := make([]term.Fact, len(v.steps))
		for i, step := range v.steps {
			mark := p.Style(term.Green, "ok  ")
			if !step.Passed {
				mark = p.Style(term.Red, "FAIL")
			}
			facts[i] = term.Fact{Label: step.Step, Value: mark + "  " + step.Detail}
		}
		p.Facts(facts...)
		if failure != nil {
			return
		}
		p.Line("proven: after block %d %s", f.BlockNumber, f.claim(p))
		if row, err := f.row(); err == nil && row != nil {
			p.Facts(output.Fields(row)...)
		}
	})
}

// trust returns the trusted validators and where they are from.
func (v *verifier) trust(command *cobra.Command, f *file) (trust connection.Trust, from string, err error) {
	switch {
	case v.anchor.block != "":
		trust, err = v.anchor.follow(command, f)
		return trust, "the chain from block " + v.anchor.block + " on", err
	case v.genesis != "":
		trust, err = connection.TrustGenesis(v.genesis)
		return trust, v.genesis, err
	case v.validators != "":
		content, err := os.ReadFile(v.validators)
		if err != nil {
			return trust, "", fmt.Errorf("--validators: %w", err)
		}
		var chain connection.Chain
		if err = json.Unmarshal(content, &chain); err == nil {
			trust, err = chain.Trust()
		}
		if err != nil {
			return trust, "", fmt.Errorf("--validators: %s: %w", v.validators, err)
		}
		return trust, v.validators, nil
	default:
		return v.dir.KnownChain(f.ChainID)
	}
}

// anchorFlags name a trusted block, from which a light client follows changes of the validators.
type anchorFlags struct {
	block  string // number:hash
	node   string // has the light blocks in between; it need not be trusted
	period time.Duration
}

func (a *anchorFlags) register(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&a.block, "trust", "", "trusted block, as number:hash, from which changes of the validators are followed")
	flags.StringVar(&a.node, "node", "", "with --trust, a node that serves headers: host:port")
	flags.DurationVar(&a.period, "trust-period", finality.DefaultTrustingPeriod,
		"with --trust, the trusting period: the maximum age of a trusted header")
}

// follow returns the validators that certify the root after the block of a proof. A proof has one light block, so without
// a node the trusted block must be that one.
func (a *anchorFlags) follow(command *cobra.Command, f *file) (connection.Trust, error) {
	number, hash, err := connection.ParseTrustedBlock(a.block)
	if err != nil {
		return connection.Trust{}, usage.Errorf(command, "--trust: %w", err)
	}
	anchor := finality.TrustedBlock{ChainID: f.ChainID, Number: number, Hash: hash}
	var source finality.Provider = inFile{f}
	switch {
	case number == f.BlockNumber+1:
	case a.node == "":
		err := fmt.Errorf("the file has the header of block %d only, and block %d is trusted", f.BlockNumber+1, number)
		return connection.Trust{}, usage.Advise(err, "--node host:port of any node of the chain, for the headers in between")
	default:
		c, err := client.New(a.node)
		if err != nil {
			return connection.Trust{}, usage.Errorf(command, "--node: %w", err)
		}
		defer c.Close()
		source = c
	}
	follower, err := finality.NewLightClient(command.Context(), anchor, source, finality.Options{Now: time.Now, TrustingPeriod: a.period})
	if err != nil {
		return connection.Trust{}, err
	}
	return follower.Trust(command.Context(), f.BlockNumber)
}

// inFile is a source of the light block in a proof.
type inFile struct{ *file }

// LightBlock implements finality.Provider.
func (f inFile) LightBlock(_ context.Context, number uint64) ([]byte, error) {
	if number != f.BlockNumber+1 {
		return nil, finality.ErrNotFound
	}
	return f.file.LightBlock, nil
}
