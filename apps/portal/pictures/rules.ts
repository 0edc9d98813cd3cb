import type { Picture, Step } from './picture.ts';

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
export const rulePictures: readonly Picture[] = [
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
