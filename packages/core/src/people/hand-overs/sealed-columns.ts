import type { SealedColumn } from '../../developers/signing-keys/index.ts';
import { contentPlace } from './hand-over.ts';

/** The sealed column of this feature, for a change of the master key. */
export const handOversSealed: readonly SealedColumn[] = [
  {
    table: 'hand_overs',
    column: 'content',
    idColumns: ['ticket_hash'],
    placeOf: (ticketHash = '') => contentPlace(ticketHash),
  },
];
