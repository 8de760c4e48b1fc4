; The declarations between entities are Swift.
((swift) @injection.content
  (#set! injection.language "swift")
  (#set! injection.combined))
