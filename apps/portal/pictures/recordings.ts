/** What a person does from beginning to end, picture by picture: `<Recording of="first-role" />`. */
export interface Recording {
  name: string;
  title: string;
  /** Pictures of the list, each with what is done or seen on it. */
  frames: readonly { picture: string; caption: string }[];
}

export const recordings: readonly Recording[] = [
  {
    name: 'two-minutes',
    title: 'A rule, a wallet and a role in two minutes',
    frames: [
      { picture: 'rules', caption: 'The sample community that comes with npm start has rules already.' },
      { picture: 'rule-builder', caption: 'Write one by clicking: a role, and the token it needs.' },
      { picture: 'rule-save', caption: 'See who gains and loses the role before you save.' },
      { picture: 'bot-button', caption: 'A member presses the button in the chat.' },
      { picture: 'connect-linked', caption: 'One signature links the wallet. It is free and moves nothing.' },
      { picture: 'bot-roles', caption: 'The roles follow, each with the reason.' },
      { picture: 'member-history', caption: 'Later the history says when each role came and went, and why.' },
    ],
  },
  {
    name: 'first-role',
    title: 'From adding the bot to the first gated role',
    frames: [
      { picture: 'add-platform', caption: 'Choose where your community is.' },
      { picture: 'add-bot', caption: 'Add the bot, then choose your server.' },
      { picture: 'setup-checklist', caption: 'The checklist shows what is still missing.' },
      { picture: 'first-rule', caption: 'Choose the role, or create a new one.' },
      { picture: 'rule-builder', caption: 'Find the token by name, address or link.' },
      { picture: 'rule-save', caption: 'See who would gain the role, then save.' },
      { picture: 'role-change-done', caption: 'The role changes are written while you watch.' },
    ],
  },
  {
    name: 'link-wallet',
    title: 'A member links a wallet and gets a role',
    frames: [
      { picture: 'bot-button', caption: 'Press the button in the server.' },
      { picture: 'bot-link', caption: 'Open the link, which is only for you.' },
      { picture: 'connect-choose', caption: 'Choose your wallet and sign the message. Signing is free.' },
      { picture: 'connect-linked', caption: 'The wallet is linked.' },
      { picture: 'bot-roles', caption: 'Your roles follow, each with the reason.' },
    ],
  },
  {
    name: 'reject-mistake',
    title: 'A mistake is held, looked at and rejected',
    frames: [
      { picture: 'mistake-preview', caption: 'The preview says how many members would lose the role.' },
      { picture: 'bot-held', caption: 'Once it is saved, admins are told that the removals wait.' },
      { picture: 'role-changes-waiting', caption: 'Nobody has lost a role yet.' },
      { picture: 'plan', caption: 'The role change names the rule, its author and the reason for each member.' },
      { picture: 'reject-restore', caption: 'Reject it and restore the rule in one step.' },
    ],
  },
  {
    name: 'answer-complaint',
    title: 'A member asks why a role is gone',
    frames: [
      { picture: 'members', caption: 'Search for the member.' },
      { picture: 'member-roles', caption: 'Each role shows what it needs and what the wallets hold.' },
      { picture: 'member-history', caption: 'The history says when each role came and went, and why.' },
    ],
  },
  {
    name: 'move-here',
    title: 'From the export of another bot to the takeover',
    frames: [
      { picture: 'import-rules', caption: 'Paste or choose the export of the other bot.' },
      { picture: 'import-preview', caption: 'See each rule in words, and what is still missing.' },
      { picture: 'shadow-mode', caption: 'In shadow mode, Latchkey only notes what it would do.' },
      { picture: 'take-over', caption: 'Stop the other bot, then take over.' },
    ],
  },
  {
    name: 'undecidable-rule',
    title: 'A rule that cannot be decided is kept as a draft',
    frames: [
      { picture: 'rule-undecidable', caption: 'There is no contract at this address, so nobody could ever qualify.' },
      { picture: 'rule-refused', caption: 'Saving is refused with the reason. Keep the rule as a draft instead.' },
    ],
  },
  {
    name: 'interrupted',
    title: 'Offline, in an old tab, or beside another admin',
    frames: [
      { picture: 'save-offline', caption: 'Offline: nothing is saved, and what you typed stays.' },
      { picture: 'old-tab', caption: 'The server has a newer version: save your work, then reload.' },
      { picture: 'two-admins', caption: 'Another admin was faster: nothing is overwritten.' },
    ],
  },
  {
    name: 'first-app',
    title: 'From an application to a login that works',
    frames: [
      { picture: 'new-app', caption: 'Name the application and choose its kind.' },
      { picture: 'app-keys', caption: 'Its keys and addresses are on one page.' },
      { picture: 'try-login', caption: 'Try a login before you write any code.' },
    ],
  },
  {
    name: 'operator-day',
    title: 'What an operator sees every day',
    frames: [
      { picture: 'operator-health', caption: 'Health says whether everything runs, and what to do if not.' },
      { picture: 'operator-approvals', caption: 'Approve what asks for more power.' },
      { picture: 'operator-chains', caption: 'See how far each chain has been read.' },
    ],
  },
];
