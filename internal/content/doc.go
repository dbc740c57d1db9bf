// Package content is the content service: it stores git bundles of projects by digest and serves them, together with bare
// repositories that it builds from them (docs/content.md).
//
// The chain is the only authority: who may upload to and read a project, which git bundles are needed and where refs point is
// read from it. Stored bytes are those that a digest determines; a client need not trust the service.
//
//   - An upload is acknowledged when its bytes and a record that they were uploaded for the project are durable. Whatever is
//     acknowledged survives a crash; what is not may be uploaded again.
//   - Bytes are served for a project only if they were uploaded or imported for it: naming the digest of another project's
//     content on the chain gives no access to it.
//   - The bytes that one account and all accounts can store are limited, before a body is read.
//   - What nothing on the chain names is deleted after a while. What was named is kept as long as its project,
//     unless later git bundles have everything that the refs reach.
//
// Stores, repositories and the chain are interfaces here; internal/contentserver connects them.
package content
