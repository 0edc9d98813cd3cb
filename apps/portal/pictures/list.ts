/** One thing that a person does on a page before the picture is taken. Names are those that are read on the page. */
export type Step =
  | { press: string }
  | { type: string; into: string }
  | { choose: string; under: string }
  | { close: 'dialog' }
  /** Waits until this is read on the page. */
  | { see: string }
  /** Something happens outside of the page. */
  | { meanwhile: 'the connection is lost' | 'the server is updated' | 'another admin saves the rule' };

export interface Picture {
  /** The name of its files, and what pages call it by: `<Screenshot of="…" />`. */
  name: string;
  /**
   * Where it is taken: a screen of the console by its path, the page that links wallets as a member reaches it from a
   * bot, or a message of the bot.
   */
  on: { screen: string } | { connect: 'computer' | 'phone' } | { message: 'join' | 'connect' | 'roles' | 'held' };
  /** Whether it is taken before a rule is changed by mistake and its removals wait for approval. */
  isCalm?: true;
  /** Whether it is taken last, while the community is in shadow mode. */
  isShadow?: true;
  steps?: readonly Step[];
  /** The parts of the page that are to be seen, as selectors; the picture is the rectangle around them. */
  part: readonly string[];
  /** The width of the window; that of a small laptop unless told. */
  width?: number;
  /** Cuts off what is further down, where the beginning says enough. */
  height?: number;
}

const dialog = 'dialog[open] div:has(> header)';
const rules = '/communities/$communityId/rules';
const card = 'section[aria-label]:has([aria-label="What this condition asks for"])';
const words = 'section[aria-labelledby="rule-in-words"]';
const width = 1240;

/** A new rule for a role, whose one condition is of a kind. */
function startWith(kind: string): Step[] {
  return [
    { choose: 'Holder', under: 'Members get' },
    { choose: kind, under: 'What this condition asks for' },
  ];
}

/** The card of a kind with its fields filled in. */
function kindPicture(name: string, kind: string, filled: readonly Step[]): Picture {
  return {
    name: `rule-${name}`,
    on: { screen: `${rules}/new` },
    steps: [...startWith(kind), ...filled],
    part: [card],
    width,
  };
}

const sampleKey: Step[] = [
  ...startWith('NFT (ERC721)'),
  { type: 'Sample Key', into: 'Token' },
  { press: 'Sample Key' },
  { see: 'To get Holder' },
];

/** A token at an address of the development chain that has no contract. */
const noContract: Step[] = [
  { choose: 'Holder', under: 'Members get' },
  { type: '0x00000000000000000000000000000000000000aa', into: 'Token' },
  { see: 'There is no token at this address' },
  { choose: 'Local test chain', under: 'Chain' },
  { see: 'There is no contract at' },
];

/** The rules of a community, and the builder. */
const rulePictures: readonly Picture[] = [
  { name: 'rules', on: { screen: rules }, isCalm: true, part: ['main header:has(h1)', 'main ul > li >> nth=3'] },
  {
    name: 'rule-builder',
    on: { screen: `${rules}/new` },
    steps: sampleKey,
    part: ['main header:has(h1)', card, words],
    width,
  },
  {
    name: 'rule-traits',
    on: { screen: `${rules}/new` },
    steps: [...sampleKey, { press: 'Add trait' }],
    part: [card],
    width,
  },
  {
    name: 'rule-try',
    on: { screen: `${rules}/new` },
    steps: [
      ...sampleKey,
      { press: 'Member' },
      { type: 'member-01', into: 'Member' },
      { press: 'member-01' },
      { press: 'Try' },
      { see: 'Qualifies' },
    ],
    part: [words, 'section[aria-labelledby="try-rule"]'],
    width,
  },
  {
    name: 'rule-save',
    on: { screen: `${rules}/new` },
    isCalm: true,
    steps: [...sampleKey, { press: 'Review and save' }, { see: 'What this rule would change' }, { see: 'Save rule' }],
    part: [dialog],
    width,
  },
  {
    name: 'mistake-preview',
    on: { screen: `${rules}/$ruleId` },
    isCalm: true,
    steps: [{ type: '1000000', into: 'At least' }, { press: 'Review and save' }, { see: 'would lose the role' }],
    part: [dialog],
    width,
  },
  { name: 'rule-undecidable', on: { screen: `${rules}/new` }, steps: noContract, part: [card, words], width },
  {
    name: 'rule-refused',
    on: { screen: `${rules}/new` },
    steps: [...noContract, { press: 'Review and save' }, { press: 'Save rule' }, { see: 'Save as draft' }],
    part: [dialog],
    width,
  },
  {
    name: 'save-offline',
    on: { screen: `${rules}/new` },
    steps: [
      ...sampleKey,
      { press: 'Review and save' },
      { see: 'Save rule' },
      { meanwhile: 'the connection is lost' },
      { press: 'Save rule' },
      { see: 'You are offline. Check your internet connection' },
    ],
    part: [dialog],
    width,
  },
  {
    name: 'two-admins',
    on: { screen: `${rules}/$ruleId` },
    steps: [
      { type: 'Reviewed for the spring season', into: 'Note' },
      { press: 'Review and save' },
      { see: 'Save rule' },
      { meanwhile: 'another admin saves the rule' },
      { press: 'Save rule' },
      { see: 'changed this rule after you opened it' },
    ],
    part: [dialog],
    width,
  },
  {
    name: 'rule-group',
    on: { screen: `${rules}/$ruleId` },
    isCalm: true,
    steps: [{ press: 'Add condition' }],
    part: ['[role=tablist]', '[role=tabpanel]'],
    width,
  },
  kindPicture('erc1155', 'NFT with copies (ERC1155)', [
    { type: 'Sample Badge', into: 'Token' },
    { press: 'Sample Badge' },
    { type: '4,10-12', into: 'Which tokens count' },
    { type: '2', into: 'At least' },
  ]),
  kindPicture('bitcoin', 'Bitcoin Ordinals', [
    { type: '0-9999', into: 'Inscription numbers' },
    { type: '1', into: 'At least' },
  ]),
  kindPicture('solana', 'Solana token', [
    { type: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', into: 'Token' },
    { type: '25.5', into: 'At least' },
  ]),
  kindPicture('xrpl', 'XRP Ledger token', [
    { type: 'USD', into: 'Currency' },
    { type: 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B', into: 'Issuer' },
    { type: '5', into: 'At least' },
  ]),
  kindPicture('staked', 'Staked tokens or NFTs', [
    { type: '0x5954ab967bc958940b7eb73ee84797dc8a2afbb9', into: 'Staking contract' },
    { type: 'ApeCoin', into: 'Only this collection' },
    { type: '1000', into: 'At least' },
  ]),
  kindPicture('loopring', 'Loopring token', [
    { type: '0x0000000000000000000000000000000000000000', into: 'Token contract on Ethereum' },
    { type: '10', into: 'At least' },
  ]),
  kindPicture('passport', 'Gitcoin Passport score', [{ type: '20', into: 'At least' }]),
  kindPicture('function', 'Value of a contract function', []),
  kindPicture('composition', 'Other roles of the member', [
    { choose: 'Supporter', under: 'Add a role' },
    { choose: 'Whale', under: 'Add a role' },
    { choose: 'Does not have', under: 'Has role 2 or not' },
  ]),
  kindPicture('poap', 'POAP attendance', [{ type: '14000, 14001', into: 'POAP drops' }]),
  { name: 'import-rules', on: { screen: `${rules}/import` }, part: ['main header:has(h1)', 'main form'] },
  {
    name: 'import-preview',
    on: { screen: `${rules}/import/$importId` },
    part: ['main header:has(h1)', 'main section >> nth=1'],
  },
  {
    name: 'shadow-mode',
    on: { screen: '/communities/$communityId/shadow-mode' },
    isShadow: true,
    part: ['main header:has(h1)', 'main section:has(h2:text("Members on")) li >> nth=1'],
  },
  {
    name: 'take-over',
    on: { screen: '/communities/$communityId/shadow-mode' },
    isShadow: true,
    steps: [{ press: 'Take over' }, { see: 'Stop the other bot first' }],
    part: [dialog],
  },
];

/** A section of a screen, by its title. */
const section = (title: string) => `section:has(> header h2:text-is("${title}"))`;
/** A section down to one of its lines. */
const upTo = (title: string, line: string) => [`${section(title)} > header`, `${section(title)} ${line}`];
const head = 'main header:has(h1)';

const community = '/communities/$communityId';

/** The screens of members and community admins, but for those about rules. */
const consolePictures: readonly Picture[] = [
  { name: 'home', on: { screen: '/' }, part: [head, section('My communities')] },
  { name: 'add-platform', on: { screen: '/communities/new' }, part: [head, section('Where is your community?')] },
  {
    name: 'add-bot',
    on: { screen: '/communities/new' },
    steps: [{ press: 'Discord' }, { see: 'Choose your server' }],
    part: [section('1. Add the bot'), section('2. Choose your server')],
  },
  {
    name: 'setup-checklist',
    on: { screen: `${community}/setup` },
    steps: [{ press: 'checks passed' }],
    part: [section('Checklist')],
    height: 560,
  },
  { name: 'first-rule', on: { screen: `${community}/setup` }, part: [section('Write a rule')] },
  { name: 'health', on: { screen: community }, part: [section('Health')] },
  { name: 'members', on: { screen: `${community}/members` }, part: [head, section('Find members')], height: 512 },
  {
    name: 'check-everybody',
    on: { screen: `${community}/members` },
    steps: [{ press: 'Check all members' }, { see: 'Start the check' }],
    part: [dialog],
  },
  { name: 'member-roles', on: { screen: `${community}/members/$userId` }, isCalm: true, part: [section('Roles')] },
  {
    name: 'member-history',
    on: { screen: `${community}/members/$userId` },
    isCalm: true,
    part: upTo('What happened', 'li >> nth=2'),
  },
  { name: 'check-period', on: { screen: `${community}/settings` }, part: [section('Re-checks')] },
  { name: 'pause', on: { screen: `${community}/settings` }, part: [section('General')] },
  {
    name: 'role-changes-waiting',
    on: { screen: `${community}/role-changes` },
    part: [head, section('Waiting for approval')],
  },
  {
    name: 'plan',
    on: { screen: `${community}/role-changes/$changeSetId` },
    part: [head, section('Why')],
  },
  {
    name: 'role-change-done',
    on: { screen: `${community}/role-changes/$changeSetId` },
    isCalm: true,
    part: [head, section('By role')],
  },
  {
    name: 'reject-restore',
    on: { screen: `${community}/role-changes/$changeSetId` },
    steps: [{ press: 'Reject and restore the rule' }, { see: 'Reject' }],
    part: [dialog],
  },
  {
    name: 'old-tab',
    on: { screen: '/me' },
    steps: [
      { meanwhile: 'the server is updated' },
      { press: 'Developers' },
      { see: 'A newer version of the console is available.' },
    ],
    part: ['[data-state=outdated]'],
  },
  {
    name: 'new-app',
    on: { screen: '/developers' },
    steps: [{ press: 'New application' }, { see: 'Create application' }],
    part: [dialog],
  },
  { name: 'app-keys', on: { screen: '/developers/apps/$appId' }, part: ['main'], height: 640 },
  { name: 'try-login', on: { screen: '/developers/apps/$appId/try-login' }, part: ['main'], height: 560 },
  { name: 'operator-health', on: { screen: '/operator' }, part: ['main'], height: 640 },
  { name: 'operator-approvals', on: { screen: '/operator/approvals' }, part: ['main'], height: 560 },
  { name: 'operator-chains', on: { screen: '/operator/chains' }, part: ['main'], height: 560 },
  { name: 'apps', on: { screen: `${community}/apps` }, part: [head, section('Available')] },
  {
    name: 'install-app',
    on: { screen: `${community}/apps` },
    steps: [{ press: 'Install' }, { see: 'Install app' }],
    part: [dialog],
  },
  {
    name: 'new-pass',
    on: { screen: `${community}/passes` },
    steps: [{ press: 'New pass' }, { see: 'How many days it lasts' }],
    part: [dialog],
  },
  { name: 'passes', on: { screen: `${community}/passes` }, part: [head, section('Speaker')] },
  {
    name: 'my-wallets',
    on: { screen: '/me' },
    steps: [{ press: 'Link a wallet' }, { press: 'MetaMask' }, { see: 'is linked.' }, { close: 'dialog' }],
    part: [section('Wallets')],
  },
  {
    name: 'add-passkey',
    on: { screen: '/me' },
    steps: [{ press: 'Add a passkey' }, { see: 'Add passkey' }],
    part: [dialog],
  },
  { name: 'my-roles', on: { screen: '/me/roles' }, part: ['main'], height: 520 },
];

const linkCard = 'section[aria-label="Link a wallet"]';

/** The page that links wallets, as a member who comes from the bot sees it. */
const connectPictures: readonly Picture[] = [
  { name: 'connect', on: { connect: 'computer' }, part: ['.intro'], width: 760 },
  { name: 'connect-choose', on: { connect: 'computer' }, part: [linkCard], width: 760 },
  {
    name: 'connect-qr',
    on: { connect: 'computer' },
    steps: [{ press: 'Use a wallet on your phone' }, { see: 'Scan this with your phone' }],
    part: [linkCard],
    width: 760,
  },
  {
    name: 'connect-apps',
    on: { connect: 'phone' },
    steps: [{ press: 'Use a wallet app on this phone' }, { see: 'Open in MetaMask' }],
    part: [linkCard],
    width: 412,
  },
  {
    name: 'connect-bitcoin',
    on: { connect: 'computer' },
    steps: [
      { press: 'Use a wallet that is not in this browser' },
      { choose: 'Bitcoin', under: 'Chain' },
      { type: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', into: 'Address' },
    ],
    part: [linkCard],
    width: 760,
  },
  {
    name: 'connect-safe',
    on: { connect: 'computer' },
    steps: [{ press: 'My tokens are in a Safe or a DSProxy' }, { press: 'A Safe that it owns' }],
    part: [linkCard],
    width: 760,
  },
  {
    name: 'connect-linked',
    on: { connect: 'computer' },
    steps: [{ press: 'MetaMask' }, { see: 'is linked.' }],
    part: [linkCard, 'section:has(> h2:text-is("Linked wallets"))'],
    width: 760,
  },
];

/** What the bot says in Discord. */
const messagePictures: readonly Picture[] = [
  { name: 'bot-button', on: { message: 'join' }, part: ['main'], width: 640 },
  { name: 'bot-link', on: { message: 'connect' }, part: ['main'], width: 640 },
  { name: 'bot-roles', isCalm: true, on: { message: 'roles' }, part: ['main'], width: 640 },
  { name: 'bot-held', on: { message: 'held' }, part: ['main'], width: 640 },
];

/**
 * Every picture of the help pages: which screen it is of, and which part of it. `npm run shots -- --pages` takes them in
 * this order.
 */
export const pictures: readonly Picture[] = [
  ...rulePictures,
  ...consolePictures,
  ...messagePictures,
  ...connectPictures,
];
