import { termsOf } from './terms.ts';

/**
 * Words that readers use for what the pages call otherwise. Each line is words that stand for each other: those of
 * docs/terms.md, of the field, and of everyday English. A word may be on several lines.
 */
const lines = `
  unlink disconnect detach
  link connect attach
  remove delete uninstall erase
  remove kick leave
  kick thrown ban expel banned lose
  chain blockchain network
  website site webpage
  setting configure variable environment env option
  missing lack without
  login signin
  tutorial walkthrough guide
  error failure problem trouble wrong broken
  scam fake phishing impersonate pretend fraud
  email mail
  privacy data store
  free paid price cost fee subscription
  permission allow right
  admin moderator administrator
  invite add install bring
  create build scaffold generate
  again repeat retry twice
  again idempotent idempotency
  test try simulator
  move migrate switch import
  import bring transfer
  verify validate prove confirm
  withdraw revoke
  expire lifetime
  coin currency fungible erc20 usdc
  nft collectible collection
  monitor watch metrics observe
  upgrade update
  downgrade rollback back
  limit quota throttle
  phone mobile
  passkey webauthn fingerprint biometric touch face
  attribute trait property
  secret password credential
  often schedule interval frequency
  undo rollback revert
  check re-check recheck reconcile
  simulator emulator sandbox demo
  extension beyond
  extension plugin addon app miniapp integration
  difference compare differ
  multisig safe
  temporary guest
  group chat
  role rank
  process worker
  cluster scale replica
  docker container compose
  delegate vote
  discuss forum
  webhook callback event
  library package sdk client
  agent mcp llm
  event meetup attend conference
  secure harden lock protect
  public internet production
  hour hourly often interval
  send post message
  buy purchase
  pause stop halt
  approve confirm accept
  sybil human person fake
  holder owner hold
  openid oidc
`;

const others = new Map<string, string[]>();
for (const line of lines.trim().split('\n')) {
  const terms = termsOf(line.trim().split(/\s+/));
  for (const term of terms)
    others.set(
      term,
      [...new Set([...(others.get(term) ?? []), ...terms])].filter((other) => other !== term),
    );
}

export function hasSynonyms(term: string): boolean {
  return others.has(term);
}

/** The terms that may stand for a term. */
export function synonymsOf(term: string): readonly string[] {
  return others.get(term) ?? [];
}
