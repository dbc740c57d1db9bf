package storage

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"makechain/internal/cli/connection"
	"makechain/internal/cli/query"
	"makechain/internal/cli/signing"
	"makechain/internal/cli/usage"
	"makechain/internal/evm"
	"makechain/internal/ident"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/internal/ledger"
	"makechain/internal/term"
)

const (
	// buyTimeout is how long a payment may take with --send: blocks of some chains are final after a quarter of an hour.
	buyTimeout = 45 * time.Minute
	// defaultMaxFee is the default of --max-fee in ether.
	defaultMaxFee = "0.02"
	// etherDecimals is the number of decimals of an amount in ether.
	etherDecimals = 18
)

// buyer has the flags of storage buy.
type buyer struct {
	query.Flags

	passphrases signing.Passphrases

	owner, rpc, wallet, maxPrice, maxFee string

	units                    uint32
	send, wait, claim, again bool
	timeout                  time.Duration
}

// purchase is the transaction that pays for storage, and what has become of it.
type purchase struct {
	ChainID      uint64 `json:"chain_id"` // of the settlement chain
	To           string `json:"to"`
	Value        string `json:"value"` // in wei
	Ether        string `json:"value_ether"`
	Data         string `json:"data"`
	URL          string `json:"url"` // in the form of EIP-681
	OwnerAddress string `json:"owner_address"`
	Units        uint32 `json:"units"`
	// The following are set with --wallet.
	From        string  `json:"from,omitempty"`
	MaxFee      string  `json:"max_fee,omitempty"` // in wei
	Transaction string  `json:"transaction,omitempty"`
	Resumed     bool    `json:"resumed,omitempty"` // it was signed by an earlier command
	BlockNumber uint64  `json:"block_number,string,omitempty"`
	Final       bool    `json:"final,omitempty"`
	Claim       *result `json:"claim,omitempty"`
}

func newBuyCommand() *cobra.Command {
	b := new(buyer)
	command := &cobra.Command{
		Use:   "buy",
		Short: "Pay for storage on the settlement chain",
		Long: `The command reads the price from the settlement contract of the chain and prints the transaction
that pays for storage of an account, for any wallet. With --wallet it adds the fee, and with --send it
signs and sends the transaction with that wallet, which must hold the payment and the fee on the
settlement chain. With --claim it continues until the storage is granted. Nothing is paid without --send.

The signed transaction is stored before it is sent. If the command fails or is interrupted, the same
command continues with that transaction and does not pay a second time.`,
		Example: "  makechain storage buy --units 3 --genesis genesis.json --rpc https://rpc.example\n" +
			"  makechain storage buy --units 3 --owner alice --genesis genesis.json --rpc https://rpc.example --wallet payer --send --claim",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			limits, err := b.check(command)
			if err != nil {
				return err
			}
			return b.Run(command, func(q *query.Query) error { return b.run(q, limits) })
		},
	}
	b.Register(command)
	flags := command.Flags()
	flags.Uint32Var(&b.units, "units", 1, "units of storage")
	flags.StringVar(&b.owner, "owner", "", "account that receives the storage: username, local name or address (default yours)")
	flags.StringVar(&b.rpc, "rpc", "", "URL of a JSON-RPC provider of the settlement chain")
	flags.StringVar(&b.wallet, "wallet", "", "secp256k1 wallet that pays")
	flags.BoolVar(&b.send, "send", false, "sign and send the transaction, and wait until it is in a block")
	flags.BoolVar(&b.wait, "wait", false, "with --send: wait until the payment is final")
	flags.BoolVar(&b.claim, "claim", false, "with --send: wait until the payment is final and attested, and claim the storage")
	flags.BoolVar(&b.again, "again", false, "with --send: pay although an earlier payment of the wallet is not complete; both may be made")
	flags.StringVar(&b.maxPrice, "max-price", "", "highest price of a unit to pay, in ether (default any)")
	flags.StringVar(&b.maxFee, "max-fee", defaultMaxFee, "highest transaction fee to pay, in ether")
	flags.DurationVar(&b.timeout, "timeout", buyTimeout, "how long to wait")
	connection.CompleteLocalFlag(command, "wallet", (*identity.Store).WalletNames)
	b.passphrases.Register(flags)
	return command
}

// limits are what a user is willing to pay, in wei.
type limits struct {
	price *big.Int // of a unit; nil for any
	fee   *big.Int
}

// check refuses invalid flags before anything is read.
func (b *buyer) check(command *cobra.Command) (limits, error) {
	var l limits
	var err error
	switch {
	case b.rpc == "":
		return l, usage.Errorf(command, "missing --rpc with the URL of a JSON-RPC provider of the settlement chain, which returns the price")
	case b.units < 1 || b.units > evm.MaxUnits:
		return l, usage.Errorf(command, "--units: %d is not between 1 and %d", b.units, evm.MaxUnits)
	case b.send && b.wallet == "":
		return l, usage.Errorf(command, "--send needs --wallet with the wallet that pays")
	case !b.send && (b.wait || b.claim || b.again):
		return l, usage.Errorf(command, "--wait, --claim and --again need --send")
	}
	if b.maxPrice != "" {
		if l.price, err = parseEther(b.maxPrice); err != nil {
			return l, usage.Errorf(command, "--max-price: %w", err)
		}
	}
	if l.fee, err = parseEther(b.maxFee); err != nil {
		return l, usage.Errorf(command, "--max-fee: %w", err)
	}
	return l, nil
}

func (b *buyer) run(q *query.Query, l limits) error {
	chain, err := q.Chain()
	if err != nil {
		return err
	}
	if chain.Settlement.Contract == (ident.Address{}) {
		return usage.Advise(errors.New("storage of this chain is not paid for: its settlement has no contract"),
			"makechain account create, which requests storage from the faucet of a development chain")
	}
	var args []string
	if b.owner != "" {
		args = []string{b.owner}
	}
	owner, err := query.Account(q, args)
	if err != nil {
		return err
	}
	provider, err := evm.Dial(b.rpc, 0)
	if err != nil {
		return usage.Errorf(q.Command, "--rpc: %w", err)
	}
	defer provider.Close()
	s := &session{buyer: b, q: q, provider: provider, chain: chain, owner: owner, limits: l}
	bought, err := s.buy()
	if err != nil {
		return err
	}
	if err := b.Output.PrintValue(q.Command, bought, func(p *term.Printer) { bought.write(p, b) }); err != nil || s.payment == nil {
		return err
	}
	return s.store.RemovePayment(s.payment) // the user knows its hash now
}

// session is one run of the command.
type session struct {
	*buyer

	q        *query.Query
	provider *evm.Client
	chain    *ledger.Params
	owner    ident.Address
	limits   limits
	store    *identity.Store
	payment  *identity.Payment // that was sent; nil for none
}

// buy prints or makes the payment.
func (s *session) buy() (*purchase, error) {
	if s.send {
		return s.pay()
	}
	offer, err := s.offer()
	if err != nil {
		return nil, err
	}
	p := s.describe(offer.Value(s.units))
	if s.wallet == "" {
		return p, nil
	}
	_, from, err := s.payer()
	if err != nil {
		return nil, err
	}
	transaction, err := s.prepare(from)
	if err != nil {
		return nil, err
	}
	p.From, p.MaxFee = from.String(), transaction.MaxFee().String()
	return p, nil
}

// payer reads the wallet that pays, without unlocking it.
func (s *session) payer() (*keystore.Container, ident.Address, error) {
	container, err := signing.Wallet(s.q.ConfigDir(), s.wallet)
	if err != nil {
		return nil, ident.Address{}, err
	}
	from, isKnown := container.Address()
	if container.Kind() != keystore.Secp256k1 || !isKnown {
		return nil, from, usage.Advise(
			fmt.Errorf("wallet %s holds a %s key, and payments are signed with %s", s.wallet, container.Kind(), keystore.Secp256k1),
			"makechain wallet new <name>, or no --wallet to pay with another program")
	}
	return container, from, nil
}

// describe returns the transaction with a value, for any wallet.
func (s *session) describe(value *big.Int) *purchase {
	contract := s.chain.Settlement.Contract
	return &purchase{
		ChainID: s.chain.Settlement.ChainID, To: contract.String(), Value: value.String(), Ether: formatEther(value),
		Data: fmt.Sprintf("0x%x", evm.RentCall(s.owner, s.units)),
		URL: fmt.Sprintf("ethereum:%s@%d/rent?address=%s&uint32=%d&value=%s", contract, s.chain.Settlement.ChainID,
			s.owner, s.units, value),
		OwnerAddress: s.owner.String(), Units: s.units,
	}
}

func (p *purchase) write(out *term.Printer, b *buyer) {
	facts := []term.Fact{
		{Label: "chain id", Value: strconv.FormatUint(p.ChainID, 10)},
		{Label: "to", Value: p.To},
		{Label: "value", Value: fmt.Sprintf("%s wei (%s ether)", p.Value, p.Ether)},
		{Label: "data", Value: p.Data},
		{Label: "URL", Value: p.URL},
	}
	if p.MaxFee != "" {
		fee, _ := new(big.Int).SetString(p.MaxFee, 10)
		facts = append(facts, term.Fact{Label: "from", Value: p.From}, term.Fact{Label: "fee", Value: "at most " + formatEther(fee) + " ether"})
	}
	if p.Transaction == "" {
		out.Facts(facts...)
		next := "send this transaction with a wallet, then: makechain storage claim <transaction>"
		if p.From != "" {
			next = "nothing was sent; --send sends this transaction"
		}
		out.Line("%s", next)
		return
	}
	verb := "paid"
	if p.Resumed {
		verb = "paid by an earlier command, not again"
	}
	final := "not final yet"
	if p.Final {
		final = "final"
	}
	out.Line("%s: %s of storage for %s, transaction %s in block %d, %s", verb, term.Count(uint64(p.Units), "unit"), p.OwnerAddress, p.Transaction,
		p.BlockNumber, final)
	if p.Claim != nil {
		p.Claim.write(out)
		return
	}
	out.Line("when it is final: makechain storage claim %s --genesis %s", p.Transaction, b.Connection.Genesis)
}

// parseEther parses an amount in ether.
func parseEther(text string) (*big.Int, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	digits := whole + fraction + strings.Repeat("0", max(0, etherDecimals-len(fraction)))
	wei, ok := new(big.Int).SetString(digits, 10)
	if !ok || whole == "" || len(fraction) > etherDecimals || strings.ContainsAny(text, "_+-") || wei.BitLen() > 256 {
		return nil, fmt.Errorf("%.80q is not an amount in ether with at most %d decimals", text, etherDecimals)
	}
	return wei, nil
}

// formatEther returns an amount of wei in ether.
func formatEther(wei *big.Int) string {
	digits := wei.String()
	digits = strings.Repeat("0", max(0, etherDecimals+1-len(digits))) + digits
	whole, fraction := digits[:len(digits)-etherDecimals], strings.TrimRight(digits[len(digits)-etherDecimals:], "0")
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}
