/** URLs that older links use, and where they lead now. */
export const redirects: { from: string; to: string }[] = [
  { from: '/blog/thesuccessfinder-case-study', to: '/blog/reference-site-case-study' },
  {
    from: '/help-docs/command-center/create-a-tgr/how-to',
    to: '/help-docs/command-center/create-a-tgr/how-to-create-a-tgr',
  },
  { from: '/help-docs/command-center/create-a-tgr/ERC721', to: '/help-docs/command-center/create-a-tgr/evm/ERC721' },
  { from: '/help-docs/command-center/create-a-tgr/ERC1155', to: '/help-docs/command-center/create-a-tgr/evm/ERC1155' },
  { from: '/help-docs/command-center/create-a-tgr/ronin', to: '/help-docs/command-center/create-a-tgr/evm/ronin' },
  { from: '/help-docs/command-center/create-a-tgr/staked', to: '/help-docs/command-center/create-a-tgr/evm/staked' },
  {
    from: '/help-docs/command-center/create-a-tgr/friend-tech',
    to: '/help-docs/command-center/create-a-tgr/friend-tech-tgr',
  },
  { from: '/help-docs/command-center/create-a-tgr/bitcoin', to: '/help-docs/command-center/create-a-tgr/bitcoin-tgr' },
];

/** URLs that differ from a page's only in case: on some disks they are the same file, so only a server can redirect. */
export const spellings: { from: string; to: string }[] = [
  { from: '/help-docs/errors/permissions', to: '/help-docs/errors/Permissions' },
];
