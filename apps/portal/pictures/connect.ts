import type { Picture } from './picture.ts';

const linkCard = 'section[aria-label="Link a wallet"]';

/** The page that links wallets, as somebody sees it who comes from the bot. */
export const connectPictures: readonly Picture[] = [
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
