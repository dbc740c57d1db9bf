module makechain/internal/server/conformance

go 1.26.0
