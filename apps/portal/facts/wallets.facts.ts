import { chainWords } from '@latchkey/console/chains';
import { loadMessages } from '@latchkey/console/messages';
import { linkTtlSeconds, WalletConnection } from '@latchkey/core';
import {
  adminCommands,
  answerTtlSeconds,
  connectionCodes,
  connectLinkMinutes,
  dailyTickets,
  defaultGatingSettings,
  dueHours,
  inviteTtlSeconds,
  isOwnCommand,
  namespaceOfWallet,
  PostTicket,
  pendingTtlSeconds,
  settlingSeconds,
  TokenproofPayload,
  TokenproofQRCode,
  ticketsDefaultDays,
  WalletConnectionRequest,
  writeLinkMessage,
} from '@latchkey/core/facts';
import { composeWallets } from '@latchkey/server/facts';
import type { Facts } from './fact.ts';

await loadMessages('en');

const baseUrl = 'https://latchkey.example';
const noConfig = { evmRpcUrls: new Map(), chainUrls: new Map(), serviceKeys: new Map() };
const sampleTime = new Date('2026-01-15T12:00:00Z');

/** The wallet families that a server can link without any configuration. */
const namespaces = Object.keys(composeWallets(noConfig, { clock: () => sampleTime, baseUrl }).wallets);

/** The page detects wallets of these families; the others sign elsewhere. */
const inTheBrowser: readonly string[] = ['evm', 'solana'];

/** Magic's wallets need a script of Magic, so the page leaves them out. */
const notOnThePage: readonly string[] = ['magic'];

/** Wallets that users ask for by name. The server says which family each belongs to. */
const walletsByName: readonly (readonly [label: string, name: string])[] = [
  ['MetaMask', 'metamask'],
  ['Coinbase Wallet', 'coinbase'],
  ['Ronin', 'ronin'],
  ['Safe', 'safe'],
  ['Phantom', 'phantom'],
  ['Solflare', 'solflare'],
  ['Backpack', 'backpack'],
  ['Temple', 'temple'],
  ['Kukai', 'kukai'],
  ['Umami', 'umami'],
  ['Blocto', 'blocto'],
  ['Lilico', 'lilico'],
  ['Dapper', 'dapper'],
  ['Talisman', 'talisman'],
  ['SubWallet', 'subwallet'],
  ['Polkadot.js', 'polkadot-js'],
  ['Meteor', 'meteor'],
  ['MyNearWallet', 'mynearwallet'],
  ['Leather', 'leather'],
  ['Xverse', 'xverse'],
  ['UniSat', 'unisat'],
  ['Xaman', 'xaman'],
  ['Tonkeeper', 'tonkeeper'],
];

function familyRows(): string[][] {
  return namespaces
    .filter((namespace) => !notOnThePage.includes(namespace))
    .map((namespace) => {
      const { name, how } = chainWords(namespace);
      const way = inTheBrowser.includes(namespace)
        ? 'a button, if the wallet is in the browser; otherwise by hand'
        : 'by hand';
      return [name, namesOf(namespace).join(', '), way, how];
    });
}

function namesOf(namespace: string): string[] {
  const orphan = walletsByName.find(([, name]) => !namespaces.includes(namespaceOfWallet(name) ?? ''));
  if (orphan !== undefined) throw new Error(`No wallet family includes ${orphan[0]} any more.`);
  return walletsByName.flatMap(([label, name]) => (namespaceOfWallet(name) === namespace ? [label] : []));
}

/** The purpose of each line of a message, by how the line begins. */
const linePurposes: readonly (readonly [start: string, purpose: string])[] = [
  ['latchkey.example wants', 'The site that asks. It must match the address bar; many wallets warn you if it is not.'],
  ['0x', 'The wallet that signs. A signature from another wallet does not count.'],
  ['Link this wallet', 'What you agree to, and the account the wallet is linked to.'],
  ['URI:', 'The server that the signature is for.'],
  ['Version:', 'The version of the message format.'],
  ['Chain ID:', 'The network the message is for.'],
  ['Nonce:', 'A random one-time value, so that no signature can be reused.'],
  ['Issued At:', 'When the message was created.'],
  ['Expiration Time:', 'When it expires.'],
  ['Resources:', 'What else the link is for:'],
  ['- ', 'the community whose button you pressed. The line is missing if you did not come from a community.'],
];

function messageRows(): string[][] {
  const message = writeLinkMessage({
    baseUrl,
    userId: 'DIS#USER#100',
    userName: undefined,
    target: {
      namespace: 'evm',
      chain: '1',
      address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      communityId: 'DIS#COMM#40',
    },
    nonce: '3b7jGqPz0d2VYk5uXnQwRf8a',
    issuedAt: sampleTime,
    expiresAt: new Date(sampleTime.getTime() + linkTtlSeconds * 1000),
  });
  return message
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const purpose = linePurposes.find(([start]) => line.startsWith(start))?.[1];
      if (purpose === undefined) throw new Error(`No page explains this line of the message to sign: ${line}`);
      return [`\`${line}\``, purpose];
    });
}

interface Command {
  command: string;
  argument?: string;
  /** If false, the command works in both. */
  isPrivate?: boolean;
  meaning: string;
}

const telegramCommands: readonly Command[] = [
  { command: 'start', isPrivate: true, meaning: 'gives you a button that opens the page for wallets' },
  { command: 'connect', isPrivate: true, meaning: 'does the same' },
  {
    command: 'start',
    argument: '<chat id>',
    isPrivate: true,
    meaning:
      'checks your wallets and gives you an invitation if you qualify; the group’s link sends this command for you',
  },
  {
    command: 'check',
    isPrivate: false,
    meaning: 're-checks your wallets in that group; the bot sends no reply, only your membership may change',
  },
  { command: 'why', meaning: 'explains in a private message why you qualify or not' },
  {
    command: 'why',
    argument: '<name>',
    meaning: 'shows an admin the same about a member; as a reply to a message it needs no name',
  },
  { command: 'health', meaning: 'shows admins the rules, and what keeps some of them from being decided' },
  { command: 'changes', meaning: 'shows admins the latest changes and those waiting for approval, with buttons' },
  { command: 'show', argument: '<id>', meaning: 'shows an admin which members a change affects, and why' },
  { command: 'approve', argument: '<id>', meaning: 'approves a waiting change, for admins' },
  {
    command: 'approve_grants',
    argument: '<id>',
    meaning: 'approves the roles that a waiting change gives and rejects its removals, for admins',
  },
  { command: 'reject', argument: '<id>', meaning: 'rejects a waiting change, for admins' },
  {
    command: 'reject_restore',
    argument: '<id>',
    meaning: 'rejects a waiting change and restores the rule that caused it, for admins',
  },
  {
    command: 'undo',
    argument: '<id>',
    meaning: 'undoes an applied change, and restores the rule that caused it, for admins',
  },
  { command: 'undo_roles', argument: '<id>', meaning: 'undoes an applied change and keeps the rule, for admins' },
];

/** Commands that users know from other bots. The page says that there are none, and this checks it. */
const commandsOfOthers = ['me', 'help', 'menu'];

function placeWords(isPrivate: boolean | undefined): string {
  if (isPrivate === undefined) return 'either';
  return isPrivate ? 'private chat with the bot' : 'in the group';
}

function commandRows(): string[][] {
  const isAnswered = (command: string, isPrivate: boolean) =>
    isOwnCommand({
      kind: 'command',
      chatId: '1',
      isPrivate,
      user: { id: '1', name: 'ann', isBot: false },
      command,
      argument: '',
    });
  const places = ({ isPrivate }: Command) => (isPrivate === undefined ? [true, false] : [isPrivate]);
  const gone = telegramCommands.find((one) => places(one).some((isPrivate) => !isAnswered(one.command, isPrivate)));
  if (gone !== undefined) throw new Error(`The Telegram bot does not answer /${gone.command} any more.`);
  const lacking = Object.keys(adminCommands).find((word) => !telegramCommands.some(({ command }) => command === word));
  if (lacking !== undefined) throw new Error(`The table lacks /${lacking}, which the Telegram bot handles.`);
  const grown = commandsOfOthers.find((command) => isAnswered(command, true) || isAnswered(command, false));
  if (grown !== undefined) throw new Error(`The Telegram bot answers /${grown} now, and the table lacks it.`);
  return telegramCommands.map(({ command, argument, isPrivate, meaning }) => [
    `\`/${command}${argument === undefined ? '' : ` ${argument}`}\``,
    placeWords(isPrivate),
    meaning,
  ]);
}

interface ObjectSchema {
  properties: Readonly<Record<string, { description?: string }>>;
  required?: readonly string[];
}

/** Returns the fields of a record with their descriptions in the reference; only the named ones if names are given. */
function fieldRows(schema: unknown, names?: readonly string[]): string[][] {
  // A record is a JSON schema at run time; its type keeps only the values that it accepts.
  const { properties, required = [] } = schema as ObjectSchema;
  return (names ?? Object.keys(properties)).map((name) => {
    const field = properties[name];
    if (field === undefined) throw new Error(`There is no field ${name} any more.`);
    return [`\`${name}\``, required.includes(name) ? 'yes' : 'no', field.description ?? ''];
  });
}

const withoutNeed = (rows: string[][]): string[][] => rows.map(([name = '', , meaning = '']) => [name, meaning]);
const minutes = (seconds: number): string => String(seconds / 60);

export default {
  'wallets/families': () => ({
    columns: ['Wallets of', 'For example', 'On the page', 'How the message is signed by hand'],
    rows: familyRows(),
  }),
  'wallets/message': () => ({ columns: ['The message says', 'Why'], rows: messageRows() }),
  'wallets/codes': () => ({
    columns: ['Code', 'Meaning'],
    rows: Object.entries(connectionCodes).map(([code, meaning]) => [`\`${code}\``, meaning]),
  }),
  'wallets/kept': () => ({
    columns: ['Field', 'What it holds'],
    rows: withoutNeed(
      fieldRows(WalletConnection, [
        'userId',
        'platform',
        'address',
        'signerAddress',
        'contract',
        'communityId',
        'walletType',
        'metadata',
        'createdTime',
      ]),
    ),
  }),
  'wallets/safe-fields': () => ({
    columns: ['Field', 'What it holds'],
    rows: withoutNeed(fieldRows(WalletConnectionRequest, ['gnosisSignerAddress', 'proxyType', 'proxyRegistry'])),
  }),
  'wallets/opensea-fields': () => ({
    columns: ['Field', 'What it holds'],
    rows: withoutNeed(fieldRows(WalletConnectionRequest, ['walletAddress', 'signInState', 'signature'])),
  }),
  'wallets/tokenproof-request': () => ({
    columns: ['Field', 'What it holds'],
    rows: withoutNeed(fieldRows(TokenproofQRCode)),
  }),
  'wallets/tokenproof-answer': () => ({
    columns: ['Field', 'What it holds'],
    rows: withoutNeed(fieldRows(TokenproofPayload)),
  }),
  'wallets/telegram-commands': () => ({ columns: ['Command', 'Where', 'What it does'], rows: commandRows() }),
  'wallets/ticket-fields': () => ({
    columns: ['Field', 'Needed', 'What it holds'],
    rows: fieldRows(PostTicket, [
      'subject',
      'description',
      'communityId',
      'email',
      'priority',
      'type',
      'tags',
      'cc_emails',
    ]),
  }),
  'wallets/link-minutes': () => String(connectLinkMinutes),
  'wallets/message-minutes': () => minutes(linkTtlSeconds),
  'wallets/reset-minutes': () => minutes(pendingTtlSeconds),
  'wallets/chat-login-minutes': () => minutes(answerTtlSeconds),
  'wallets/erasure-hours': () => String(settlingSeconds / 3600),
  'wallets/holdings-hours': () => String(defaultGatingSettings.rereadSeconds / 3600),
  'wallets/invite-minutes': () => minutes(inviteTtlSeconds),
  'wallets/ticket-hours': () => `${dueHours.slice(0, -1).join(', ')} or ${dueHours.at(-1)}`,
  'wallets/tickets-days': () => String(ticketsDefaultDays),
  'wallets/tickets-a-day': () => String(dailyTickets),
} satisfies Facts;
