import type { Picture } from './picture.ts';

/** A section of a screen, by its title. */
const section = (title: string) => `section:has(> header h2:text-is("${title}"))`;
/** A section down to one of its lines. */
const upTo = (title: string, line: string) => [`${section(title)} > header`, `${section(title)} ${line}`];
const head = 'main header:has(h1)';

const community = '/communities/$communityId';

/** The screens of members and community admins, but for those about rules. */
export const consolePictures: readonly Picture[] = [
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
    steps: [{ press: 'Check everybody' }, { see: 'Start the check' }],
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
  { name: 'plans-waiting', on: { screen: `${community}/plans` }, part: [head, section('Waiting for approval')] },
  {
    name: 'plan',
    on: { screen: `${community}/plans/$planId` },
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
