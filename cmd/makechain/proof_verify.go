package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"makechain/internal/schema"
	"makechain/internal/term"
	"makechain/proof"
	"makechain/proof/finality"
)

// verifier checks proofs in files. It needs no node.
type verifier struct {
	offline

	genesis, validators string
	anchor              anchorFlags

	steps []proofStep
}

// proofStep is a step of a check that was made.
type proofStep struct {
	Step   string `json:"step"`
	Passed bool   `json:"passed"`
	Detail string `json:"detail"`
}

// The steps of a check, in their order.
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

func newProofVerifyCommand() *cobra.Command {
	v := new(verifier)
	command := &cobra.Command{
		Use:   "verify <file>",
		Short: "Check a proof from a file, without a node",
		Long: `Check a proof from a file, without a node: from the key and its value up the state tree to
the root, and from the root to the signatures of validators that you trust. These are those of
--genesis, those of --validators, or those that this machine met when it first asked a node of
the chain. With --trust they are followed from a block whose hash you know, over all changes, by
headers that any node has (--node) and that need not be trusted. A proof says what was so after
its block; it cannot say that nothing came later.`,
		Example: "  makechain proof verify hello.proof --genesis makechain-data/config/genesis.json\n" +
			"  makechain proof verify hello.proof --validators validators.json\n" +
			"  makechain proof verify hello.proof --trust 12001:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --node node.example:50051",
		Args: arguments("a file, or - for standard input"),
		RunE: func(command *cobra.Command, args []string) error { return v.run(command, args[0]) },
	}
	v.register(command)
	flags := command.Flags()
	flags.StringVar(&v.genesis, "genesis", "", "genesis file of the chain whose validators to trust")
	flags.StringVar(&v.validators, "validators", "", "file with the chain and validators to trust, as proof validators prints it")
	v.anchor.register(command)
	return command
}

func (v *verifier) run(command *cobra.Command, path string) error {
	if len(given(v.genesis, v.validators, v.anchor.block)) > 1 {
		return misused(command, "--genesis, --validators and --trust each say whom to trust: give one")
	}
	file, err := readProof(path, command.InOrStdin())
	if err != nil {
		return err
	}
	known, from, err := v.trust(command, file)
	if err != nil {
		return err
	}
	failure := v.check(file, known, from)
	return errors.Join(v.report(command, file, failure), adviseOnProof(failure))
}

// adviseOnProof says how to follow a chain whose validators are no longer those that are trusted.
func adviseOnProof(err error) error {
	if failure := (*proofError)(nil); errors.As(err, &failure) && failure.step == finality.StepValidators {
		return advise(err, "--trust number:hash of a block that you know, and --node host:port, if the validators of the chain have changed")
	}
	return err
}

// proofError is a proof that does not hold.
type proofError struct {
	step string
	err  error
}

func (e *proofError) Error() string {
	return fmt.Sprintf("the proof fails at step %s: %v", e.step, e.err)
}

func (e *proofError) Unwrap() error { return e.err }

// pass notes a step that holds; fail one that does not.
func (v *verifier) pass(step, format string, args ...any) {
	v.steps = append(v.steps, proofStep{step, true, fmt.Sprintf(format, args...)})
}

func (v *verifier) fail(step string, err error) error {
	v.steps = append(v.steps, proofStep{step, false, err.Error()})
	return &proofError{step, err}
}

// check goes from the key up to the signatures.
func (v *verifier) check(file *proofFile, known trust, from string) error {
	if file.ChainID != known.ChainID {
		return v.fail(stepFile, fmt.Errorf("it is about chain %q, and trusted are validators of %q, as in %s", file.ChainID, known.ChainID, from))
	}
	v.pass(stepFile, "about chain %s after block %d", term.Text(file.ChainID), file.BlockNumber)
	key, err := schema.ParseKey(file.Key)
	if err != nil {
		return v.fail(stepKey, err)
	}
	v.pass(stepKey, "%s", describeKey(&key))
	row, err := file.row()
	switch {
	case err != nil:
		return v.fail(stepValue, err)
	case row == nil:
		v.pass(stepValue, "none: the row is not there")
	default:
		v.pass(stepValue, "%s of %d bytes", row.ProtoReflect().Descriptor().Name(), len(file.Value))
	}
	if err := file.checkPath(); err != nil {
		return v.fail(stepPath, err)
	}
	v.pass(stepPath, "leads to root %x", []byte(file.Root))
	return v.checkFinality(file, known, from)
}

// checkPath checks that key and value, or the absence of the key, follow from the root that the file names.
func (f *proofFile) checkPath() error {
	if len(f.Root) != len([32]byte{}) {
		return fmt.Errorf("root has %d bytes", len(f.Root))
	}
	if f.Value == nil {
		return proof.VerifyExclusion([32]byte(f.Root), f.Key, f.Proof)
	}
	return proof.VerifyOperation([32]byte(f.Root), f.Key, f.Value, f.Proof)
}

// checkFinality checks that validators who are trusted signed the root.
func (v *verifier) checkFinality(file *proofFile, known trust, from string) error {
	root, err := finality.Verify(file.LightBlock, file.BlockNumber, known)
	failed := ""
	if err != nil {
		failed = finalityStep(err)
	}
	for _, step := range []struct{ name, detail string }{
		{stepHeader, fmt.Sprintf("that of block %d of chain %s", file.BlockNumber+1, known.ChainID)},
		{stepValidators, fmt.Sprintf("%x, as in %s", known.ValidatorsHash, from)},
		{stepSignatures, "more than two thirds of their voting power signed the header"},
	} {
		if step.name == failed {
			return v.fail(step.name, err)
		}
		v.pass(step.name, "%s", step.detail)
	}
	if root != [32]byte(file.Root) {
		return v.fail(stepRoot, fmt.Errorf("the validators signed %x", root))
	}
	v.pass(stepRoot, "the one in the header")
	return nil
}

// finalityStep says at which of the steps here a check of a light block failed.
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

// report prints the steps, and at the end what is proven.
func (v *verifier) report(command *cobra.Command, file *proofFile, failure error) error {
	answer := struct {
		Valid bool        `json:"valid"`
		Steps []proofStep `json:"steps"`
	}{failure == nil, v.steps}
	return v.print(command, answer, func(p *term.Printer) {
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
		p.Line("proven: after block %d %s", file.BlockNumber, file.claim(p))
		if row, err := file.row(); err == nil && row != nil {
			p.Facts(fieldFacts(row)...)
		}
	})
}

// trust finds the validators to believe, and says where they are from.
func (v *verifier) trust(command *cobra.Command, file *proofFile) (known trust, from string, err error) {
	switch {
	case v.anchor.block != "":
		known, err := v.anchor.follow(command, file)
		return known, "the chain from block " + v.anchor.block + " on", err
	case v.genesis != "":
		document, err := os.ReadFile(v.genesis)
		if err != nil {
			return trust{}, "", fmt.Errorf("--genesis: %w", err)
		}
		known, err = finality.TrustGenesis(document)
		return known, v.genesis, err
	case v.validators != "":
		content, err := os.ReadFile(v.validators)
		if err != nil {
			return trust{}, "", fmt.Errorf("--validators: %w", err)
		}
		known, err = parseValidators(content)
		if err != nil {
			return trust{}, "", fmt.Errorf("--validators: %s: %w", v.validators, err)
		}
		return known, v.validators, nil
	default:
		return v.met(file.ChainID)
	}
}

// met finds a chain among those that this machine has met.
func (v *verifier) met(chainID string) (known trust, from string, err error) {
	dir, err := v.dir()
	if err != nil {
		return trust{}, "", err
	}
	path := filepath.Join(dir, chainsFile)
	chains, err := readChains(path)
	if err != nil {
		return trust{}, "", err
	}
	found := map[knownChain]bool{}
	for _, chain := range chains {
		if chain.ChainID == chainID {
			known, err = chain.trust()
			chain.BlockNumber = 0 // the same validators may have been met at different blocks
			found[chain] = true
		}
	}
	switch len(found) {
	case 1:
		return known, path, err
	case 0:
		err = fmt.Errorf("nothing on this machine says who the validators of chain %q are", chainID)
	default:
		err = fmt.Errorf("%s has %d sets of validators of chain %q", path, len(found), chainID)
	}
	return trust{}, "", advise(err, "--genesis with the genesis file of the chain (a node has it in config/genesis.json), or --validators")
}

// trust is the chain and its validators as they are checked against.
func (k knownChain) trust() (trust, error) {
	hash, err := hex.DecodeString(k.ValidatorsHash)
	if err == nil && (k.ChainID == "" || len(hash) == 0) {
		err = errors.New("chain_id or validators_hash is missing")
	}
	return trust{ChainID: k.ChainID, ValidatorsHash: hash, Number: k.BlockNumber}, err
}

// parseValidators reads what writeValidators writes.
func parseValidators(content []byte) (trust, error) {
	var known knownChain
	if err := json.Unmarshal(content, &known); err != nil {
		return trust{}, err
	}
	return known.trust()
}

// writeValidators prints whom this machine trusts.
func writeValidators(out io.Writer, known trust) error {
	encoded, err := json.Marshal(knownChain{ChainID: known.ChainID, ValidatorsHash: hex.EncodeToString(known.ValidatorsHash)})
	if err != nil {
		return err
	}
	_, err = out.Write(append(encoded, '\n'))
	return err
}
