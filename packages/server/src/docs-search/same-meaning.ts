import { splitWords, termsOf } from './terms.ts';

/**
 * Words that readers use for each other, a group per line. Ask finds a section by any of a group, less surely than by the word itself.
 * A word may stand in several groups: each word means what it shares a line with.
 */
const groups = `
account profile identity
add attach connect hook integrate link plug
address domain url
admin administrator manager mod moderator owner
agent ai assistant chatgpt claude llm mcp
allow accept approve confirm permit
announce notify post publish
answer reply respond response
app addon extension integration plugin
archive historical history past
attribute background property trait
automatic automatically itself
backup copy dump
balance amount holding
ban expel kick
begin launch start
biometric face fingerprint passkey touch
block forbid restrict
border boundary edge
bot robot
box host instance machine server vps
broken invalid wrong
browser chrome firefox safari
button click press tap
buy acquire purchase
callback webhook
cancel revoke stop withdraw
chain blockchain network
change edit modify
channel room
chat conversation dm message
check inspect look test validate verify
child descendant
choose pick select
cnft compressed
co-admin co-owner colleague
code program script
coin currency token
collect gather
collection series
combine both join
community group guild server
company organization team
computer desktop laptop pc
config configuration environment env option setting variable
contact reach support ticket
cost charge fee price
count number
country region
crash fail failure
create make new
credential key secret token
csv excel sheet spreadsheet table
daily hourly interval often period schedule
database postgres postgresql
deadline expiry timeout
delay late slow wait
delete clear drop erase remove wipe
deny decline refuse refused reject
deploy host install
developer coder programmer
device computer phone
disable pause suspend
documentation doc guide help manual page
download export
duplicate twice
early fast quick
else another other
email mail
enable activate switch turn
encrypt cipher
end finish
endpoint node provider rpc
enter join
error fault issue problem trouble
event notification
everyone all anyone everybody public
exist available supported
expire lapse
external outside third-party
false no
farm lock stake vault
fix repair solve
flair tag
follow subscribe listen
forget forgot
form application apply
free cost gas
full whole
genuine authentic legit official real
guest speaker temporary visitor
hardware ledger trezor
hash checksum
help support
hide hidden private secret
hold have keep own possess
human sybil
icon avatar image picture
import upload
inscription ordinal
intent privileged
invite invitation
justify explain justification reason why
know recognize
leave left quit
limit quota rate throttle
live realtime stream
lose miss steal stolen
login log signin
market marketplace store
member holder person user
migrate move switch
mnemonic phrase recovery seed
mobile phone smartphone
money fund
multisig gnosis safe
name nickname username
nft collectible
offline away down outage unavailable unreachable
old older previous
only just
outlive survive carry
pay bill payment
permission access privilege right
person people
plan subscription
poll proposal vote
pr merge pull
preview dry-run simulate
privacy private
production live
proxy caddy nginx
read see show view visible
reboot restart
recheck rescan
reddit subreddit
release update upgrade version
renew refresh
requirement condition gate rule
rename name
resend again redeliver retry
restore recover
reverse revert rollback undo
revoke withdraw
rotate replace
same equal identical
save store
scam fraud impostor phishing
scan read
score point
session token
share together
sign signature
simultaneous concurrent parallel
single one
site website
spam abuse
stored keep
stop prevent end
sum total
take remove
telegram tg
temporary limited
thread topic
throttle 429
time duration
tip give
tool app program
transfer send
unlink disconnect
unlock open
wallet address
week day
worker process
`;

/** For each term, those that mean the same. */
export const sameMeaning: ReadonlyMap<string, readonly string[]> = readGroups();

function readGroups(): Map<string, string[]> {
  const meanings = new Map<string, Set<string>>();
  for (const line of groups.trim().split('\n')) {
    const terms = termsOf(splitWords(line));
    for (const term of terms) {
      const others = meanings.get(term) ?? new Set();
      for (const other of terms) if (other !== term) others.add(other);
      meanings.set(term, others);
    }
  }
  return new Map([...meanings].map(([term, others]) => [term, [...others]]));
}
