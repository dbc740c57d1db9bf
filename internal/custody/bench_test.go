package custody_test

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// BenchmarkParseRecover measures one custody signature, from bytes to key id.
func BenchmarkParseRecover(b *testing.B) {
	for _, kind := range signatureTypes {
		sig := fixedSignature(b, kind)
		b.Run(kind.String()+"/direct", func(b *testing.B) { benchmarkRecover(b, sig) })
		b.Run(kind.String()+"/wrapped", func(b *testing.B) { benchmarkRecover(b, custody.Wrap(ident.Address{1}, sig)) })
	}
}

func benchmarkRecover(b *testing.B, sig []byte) {
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := parseAndRecover(sig, digest); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParse measures parsing without verification.
func BenchmarkParse(b *testing.B) {
	for _, kind := range signatureTypes {
		sig := fixedSignature(b, kind)
		b.Run(kind.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := custody.Parse(sig); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSignerAddDigest measures the longest body that P1.3 allows.
func BenchmarkSignerAddDigest(b *testing.B) {
	body := &pb.SignerAddBody{Key: make([]byte, 32), RequestOwnerAddress: make([]byte, 20)}
	for range 100 {
		body.AllowedProjects = append(body.AllowedProjects, make([]byte, 32))
	}
	b.ReportAllocs()
	for b.Loop() {
		custody.SignerAddDigest(pb.Network_NETWORK_DEVNET, ident.Address{}, body)
	}
}
