/** The kind of a value in `dao.json`. */
export type SettingKind =
  | 'text'
  | 'word'
  | 'url'
  | 'address'
  | 'chain'
  | 'whole'
  | 'amount'
  | 'percent'
  | 'days'
  | 'months'
  | 'date';

export interface Setting {
  kind: SettingKind;
  /** The label, as a row of a table. */
  label: string;
  /** The meaning, as a sentence. */
  meaning: string;
}

function setting(kind: SettingKind, label: string, meaning: string): Setting {
  return { kind, label, meaning };
}

/** Every single value of `dao.json` by its path. Lists are separate, in `shares`. */
export const settings: Readonly<Record<string, Setting>> = {
  name: setting('text', 'Name', 'The name of the organization.'),
  legalForm: setting('text', 'Legal form', 'Its legal form, if any: an association, a cooperative …'),
  repositoryUrl: setting('url', 'Repository', 'Where source, charter and decisions are kept under version control.'),
  forumUrl: setting('url', 'Forum', 'Where proposals are discussed before they are voted on.'),
  votingUrl: setting('url', 'Voting app', 'Where votes are cast.'),
  chatUrl: setting('url', 'Chat', 'Where people chat informally.'),
  delegatesUrl: setting('url', 'Delegates', 'Where delegates introduce themselves.'),
  snapshotSpace: setting('word', 'Snapshot space', 'The space for off-chain votes.'),
  'membership.minimumTokens': setting('amount', 'Tokens a member holds', 'The minimum amount, in whole tokens.'),
  'membership.passAddress': setting(
    'address',
    'Membership pass',
    'The contract of the pass, on the chain of the token.',
  ),
  'membership.passStandard': setting('word', 'Standard of the pass', 'What the contract of the pass follows.'),
  'token.name': setting('text', 'Token', 'The full name of the token.'),
  'token.symbol': setting('word', 'Symbol', 'The short name that wallets show.'),
  'token.standard': setting('word', 'Standard', 'What the contract of the token follows.'),
  'token.chainId': setting('chain', 'Network', 'The chain on which the token is used.'),
  'token.address': setting('address', 'Contract', 'The only genuine contract of the token on that chain.'),
  'token.decimals': setting('whole', 'Decimals', 'The number of decimals.'),
  'token.totalSupply': setting('amount', 'Total supply', 'How many whole tokens there can be.'),
  'token.mintedOnChainId': setting('chain', 'Minted on', 'The chain it was bridged from, if it was.'),
  'contracts.chainId': setting('chain', 'Network of governance', 'The chain of the three contracts below.'),
  'contracts.governor': setting('address', 'Governor', 'The contract that counts votes.'),
  'contracts.timelock': setting('address', 'Timelock', 'The contract that executes decisions, after a delay.'),
  'contracts.treasury': setting(
    'address',
    'Treasury',
    'The multisig, or the timelock itself, that holds shared funds.',
  ),
  'voting.votesPerToken': setting('amount', 'Votes per token', 'The voting weight of one whole token.'),
  'voting.delayDays': setting('days', 'Delay', 'From the proposal on chain to the first vote.'),
  'voting.periodDays': setting('days', 'Voting period', 'How long voting is open.'),
  'voting.executionDelayDays': setting('days', 'Execution delay', 'How long a decision waits in the timelock.'),
  'voting.quorumPercent': setting('percent', 'Quorum', 'The share of circulating votes that must be cast.'),
  'voting.quorumMissesBeforeHalving': setting(
    'whole',
    'Misses before the quorum is halved',
    'How many votes in a row may miss the quorum before it is halved until one passes.',
  ),
  'voting.thresholdPercentOfQuorum': setting(
    'percent',
    'Proposal threshold',
    'The votes needed to put a proposal on chain, as a share of the quorum.',
  ),
  'charter.version': setting('word', 'Version of the charter', 'The version that is in force.'),
  'charter.adoptedOn': setting('date', 'Charter adopted on', 'The day on which that version was adopted.'),
  'charter.historyUrl': setting('url', 'History of the charter', 'Every change to its text, under version control.'),
  'charter.stewards': setting('whole', 'Seats of the board', 'How many stewards there are; an odd number.'),
  'charter.stewardTermMonths': setting('months', 'Term of a steward', 'How long a seat is held before it is voted on.'),
  'charter.jurisdiction': setting('text', 'Jurisdiction', 'The governing law, if one was chosen.'),
  'claim.url': setting('url', 'Claim page', 'The only page where tokens are claimed.'),
  'claim.snapshotBlock': setting('whole', 'Snapshot block', 'The block at which eligibility is read.'),
  'claim.opensOn': setting('date', 'Claim opens on', 'The first day of the window.'),
  'claim.closesOn': setting('date', 'Claim closes on', 'The last day of the window.'),
  'topCommunities.places': setting('whole', 'Communities in the programme', 'How many are chosen.'),
  'topCommunities.tokens': setting('amount', 'Tokens of the programme', 'How many whole tokens they share.'),
  'topCommunities.proposalsUrl': setting(
    'url',
    'Proposals of communities',
    'Where communities submit their proposals.',
  ),
};

/** One part of a distribution or of a claim. */
export interface Share {
  group: string;
  percent: number;
  vestingMonths: number | null;
  cliffMonths: number | null;
}

/** The lists of `dao.json`. Null means not configured. */
export const shareLists = {
  distribution: 'Who the whole supply goes to',
  'claim.groups': 'Who may claim which share of the claim',
} as const;
