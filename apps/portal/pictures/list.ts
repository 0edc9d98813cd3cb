/** One thing that a person does on a page before the picture is taken. Names are those that are read on the page. */
export type Step =
  | { press: string }
  | { type: string; into: string }
  | { choose: string; under: string }
  | { close: 'dialog' }
  /** Waits until this is read on the page. */
  | { see: string };

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

const composition = JSON.stringify(
  {
    action: 'addOrRemove',
    roleId: '300000000000000010',
    operator: 'and',
    condition: { '300000000000000001': true, '300000000000000002': false },
  },
  null,
  2,
);

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
    part: ['[role=dialog]'],
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
    { type: '4,10-12', into: 'Token ids' },
    { type: '2', into: 'At least' },
  ]),
  kindPicture('bitcoin', 'Bitcoin Ordinals', [
    { type: '0-9999', into: 'Inscription numbers' },
    { type: '1', into: 'At least' },
  ]),
  kindPicture('solana', 'Solana token', [
    { type: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', into: 'Contract, mint or collection' },
    { type: '25.5', into: 'At least' },
  ]),
  kindPicture('xrpl', 'XRP Ledger token', [
    { type: 'USD.rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B', into: 'Contract, mint or collection' },
    { type: '5', into: 'At least' },
  ]),
  kindPicture('staked', 'Staked tokens or NFTs', [
    { type: '0x5954ab967bc958940b7eb73ee84797dc8a2afbb9', into: 'Contract, mint or collection' },
    { type: 'ApeCoin', into: 'Collection' },
    { type: '1000', into: 'At least' },
  ]),
  kindPicture('loopring', 'Loopring token', [
    { type: '0x0000000000000000000000000000000000000000', into: 'Contract, mint or collection' },
    { type: '10', into: 'At least' },
  ]),
  kindPicture('passport', 'Gitcoin Passport score', [{ type: '20', into: 'At least' }]),
  kindPicture('function', 'Value of a contract function', [
    { type: '0xCF205808Ed36593aa40a44F10c7f7C2F67d4A4d4', into: 'Contract, mint or collection' },
    { type: 'sharesBalance(address,address)', into: 'Function' },
    { type: '["0x5555555555555555555555555555555555555555", "$account"]', into: 'Arguments' },
    { type: '1', into: 'At least' },
  ]),
  kindPicture('composition', 'Other roles of the member', [{ type: composition, into: 'Which roles' }]),
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
    part: ['[role=dialog]'],
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
  { name: 'setup-checklist', on: { screen: `${community}/setup` }, part: upTo('Checklist', 'li >> nth=5') },
  { name: 'first-rule', on: { screen: `${community}/setup` }, part: [section('Your first rule')] },
  { name: 'health', on: { screen: community }, part: [section('Health')] },
  { name: 'members', on: { screen: `${community}/members` }, part: [head, section('Find members')], height: 512 },
  {
    name: 'check-everybody',
    on: { screen: `${community}/members` },
    steps: [{ press: 'Check all members' }, { see: 'Start the check' }],
    part: ['[role=dialog]'],
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
    part: [head, section('By role'), `${section('Members')} li >> nth=1`],
  },
  { name: 'apps', on: { screen: `${community}/apps` }, part: [head, section('Available')] },
  {
    name: 'install-app',
    on: { screen: `${community}/apps` },
    steps: [{ press: 'Install' }, { see: 'Install app' }],
    part: ['[role=dialog]'],
  },
  {
    name: 'new-pass',
    on: { screen: `${community}/passes` },
    steps: [{ press: 'New pass' }, { see: 'How many days it lasts' }],
    part: ['[role=dialog]'],
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
    part: ['[role=dialog]'],
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
