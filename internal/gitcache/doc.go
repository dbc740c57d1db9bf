// Package gitcache keeps one bare git repository per project, filled from git bundles, and serves it with git upload-pack.
//
// A bundle is verified in quarantine, a repository of its own that borrows the objects of the project's repository, before
// any of its objects can be read by others. What is refused leaves nothing on disk. A repository only ever has objects
// whose links lead to objects that it has too; its refs point to such objects. Repositories never share objects: protocol
// version 2 serves every object of a repository by its id.
//
// All of it can be rebuilt from the bundles, and may be deleted while no Cache is open:
//
//	<2 hex>/<64 hex>.git   the repository of a project, by the project's id
//	empty.git              what is served for a project without a repository
//	tmp/                   quarantines and repositories that are being removed; emptied by Open
//
// Git runs without the configuration of the user and the system, without hooks, at a lower priority, and with limits on
// its time. On Linux its memory, CPU time and the size of its files are limited too; on other systems they are not.
//
// Errors about a bundle are of type *gitbundle.Error. Errors with a method HTTPStatus refuse a request before anything of
// a response was written; other errors are those of the machine or of git.
package gitcache
