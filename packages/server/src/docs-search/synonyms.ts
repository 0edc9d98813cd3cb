import { termsOf } from './terms.ts';

/**
 * Words that readers use for what the pages call otherwise. Between two semicolons are words that stand for each other:
 * those of docs/terms.md, of the field, and of everyday English. A word may be in several places.
 */
const groups = `
  unlink disconnect detach unverify unpair; link connect attach hook pair; remove delete uninstall erase wipe drop clear;
  remove revoke strip withdraw; remove kick leave evict boot; kick thrown ban expel banned lose;
  lose lost vanish disappear gone missing; chain blockchain network; website site webpage homepage;
  setting configure variable environment env option; setting preference adjust customize; missing lack without absent;
  login signin logon authenticate; tutorial walkthrough guide lesson howto; error failure problem trouble wrong broken issue;
  error bug fault defect; broken crash fail dead down; scam fake phishing impersonate pretend fraud impostor;
  fake false counterfeit bogus forged; email mail inbox; privacy data store; free paid price cost fee subscription charge;
  pay payment money card billing; permission allow right privilege; admin moderator administrator mod staff;
  owner founder creator; operator host hoster sysadmin; invite add install bring; create build scaffold generate make;
  create make new setup; again repeat retry twice; again idempotent idempotency; test try simulator; test try check;
  move migrate switch import; switch change replace swap; change edit modify alter adjust; import bring transfer;
  verify validate prove confirm authenticate; expire lifetime outdated stale; coin currency fungible erc20 usdc;
  coin crypto money fund; nft collectible collection; nft jpeg pfp picture art; monitor watch metrics observe; upgrade update;
  downgrade rollback back; limit quota throttle restrict; limit maximum cap most; minimum least threshold;
  phone mobile iphone android smartphone cell; computer laptop pc desktop machine; machine server vps box hardware;
  passkey webauthn fingerprint biometric touch face; attribute trait property; secret password credential;
  often schedule interval frequency; undo rollback revert reverse; check re-check recheck reconcile;
  check examine inspect look scan; refresh sync resync update reload; simulator emulator sandbox demo; extension beyond;
  extension plugin addon app miniapp integration; difference compare differ versus; multisig safe; temporary guest trial;
  group chat room; role rank badge tag; process worker; cluster scale replica; docker container compose; delegate vote;
  vote ballot poll election; discuss forum talk; webhook callback event; webhook notify push;
  notify notification alert tell inform announce; announce broadcast news; library package sdk client; agent mcp llm;
  event meetup attend conference; secure harden lock protect; secure safe safety danger; public internet production;
  hour hourly often interval; send post message; send transfer pay; message text note; buy purchase bought acquire;
  sell sold dump; pause stop halt freeze suspend; resume unpause continue restart; approve confirm accept;
  reject refuse deny decline; sybil human person fake; bot robot; holder owner hold; hold own possess have; openid oidc;
  see view show display visible; hide hidden invisible secret; hide conceal private; private closed exclusive; show list;
  find search look locate where; find discover lookup; read fetch query get; many several multiple;
  merge combine join sum together total; both together; quick fast instant immediate; slow late delay lag; delay wait pending;
  wait hold held; big large huge; person user member people; member fan follower participant; newcomer beginner newbie starter;
  friend colleague mate; give grant assign award hand; give reward prize gift; thank kudos praise; tip gift donate; take remove;
  get receive obtain; arrive come receive deliver; save store keep; copy duplicate clone; backup dump;
  old previous former earlier; new fresh recent; start begin launch; finish end close; close shut quit; allow let enable permit;
  disable deactivate off; forget erase; hack stolen steal compromise; stolen drain; leak expose; rotate replace renew;
  help support assist; support compatible work; contact reach write; ask request question; answer reply respond response;
  reply message; explain meaning mean; reason cause; fix repair solve mend; wallet address; account profile; profile bio;
  picture image photo avatar; button press click; press click tap push; command slash; field parameter column;
  server guild community; community server club; rule requirement condition gate criteria; require need must;
  qualify eligible deserve; amount number quantity balance; balance holding; stake pool vault lock; staked deposit locked;
  governance dao; proposal motion; quorum turnout; token coin; contract address; mint issue; edition copy;
  attendee visitor guest; week month day; daily day; language python javascript; code program script; developer programmer coder;
  backend server; frontend browser page; example sample; folder file; csv table spreadsheet sheet; graph chart statistic;
  statistic figure analytic number; history log past; log audit record; key credential; apikey key; cold hardware ledger offline;
  seed recovery; sign signature; domain hostname url; url link address; port address; proxy nginx caddy; load traffic;
  database postgres postgresql; subreddit reddit; flair reddit; inscription ordinal; licence license; bitcoin btc;
  ethereum eth evm; solana sol; xrpl xrp ripple; organization organisation company team; plan tier; cancel unsubscribe end;
  trust believe; review vet audit; reviewed vetted; publish list release; release version; mistake accident wrong;
  admin dashboard console; console dashboard panel; payout payment; prevent avoid stop; block prevent; spam scam;
  recognise recognize detect; detect notice; popup window; reporter journalist speaker auditor visitor guest;
  wife girlfriend partner friend; intern employee colleague assistant helper moderator; agency company business enterprise firm;
  resell sell commercial; presale airdrop launch ico; lurker silent inactive; lounge room channel;
  malware phishing malicious virus; homepage site page; forbidden refused denied 403 blocked unauthorized; unauthorized 401;
  receiver endpoint listener; offline down unreachable unavailable; reboot restart start; cheap free cost; pager alert alarm;
  disk storage space; died crash lost; charge bill sell; dollar price money; booth event conference; drawing art picture;
  apes nft; whale large big; founder og early; silver gold bronze tier; spot place seat; reserve register; resolve ens name;
  cache keep remember; millisecond latency fast performance speed; seat board; wiki docs document; diagram map chart;
  rich treasury balance; ping notify mention; task job; rerun retry; failed dead; http api rest; pick choose select;
  type enter write; value choice; forget delete; personal private data; customer user client; reset renew; outage down;
  overview summary; manual documentation docs; swap exchange trade; bridge transfer; gas fee; mainnet network; testnet network;
  reward incentive; drop airdrop; whitelist allowlist; blacklist blocklist; scrape poll; cron schedule;
  ssl tls https certificate; k8s kubernetes; db database; repo repository source; github repository source;
  config configure setting; auth authentication login; 2fa totp authenticator; otp code; sso login; ui console;
  dm direct message; mods moderator; perms permission; discord guild; tg telegram; x twitter; dapp app; cex exchange;
  dex exchange; hodl hold; airdropped claim; drained stolen; verified verify holder; unverified verify; suspend revoke;
  taken revoke remove; wrongly mistake; accidentally accident mistake; leave quit; abandon quit stop;
  alternative replacement instead; competitor alternative; invoice receipt billing; refund chargeback; promote admin;
  demote admin remove; appoint name admin; hijack stolen; legit genuine real official; authentic genuine real; genuine original;
  screenshot picture; earn reward; claim redeem; weight power; elect vote; spend budget; fund treasury; grant fund;
  constitution charter; principle value mission
`;

const others = new Map<string, string[]>();
for (const group of groups.split(';')) {
  const terms = termsOf(group.trim().split(/\s+/));
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
