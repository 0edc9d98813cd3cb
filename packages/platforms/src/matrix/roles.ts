import { isRoomId } from './ids.ts';

/** What a rule can give in a community: being in it, a power level in it, or being in one of its rooms. */
export type MatrixRole = { kind: 'member' } | { kind: 'level'; level: number } | { kind: 'room'; roomId: string };

/** Membership in the space or room of the community. */
export const memberRole = 'member';

export const levelRole = (level: number): string => `level:${level}`;
export const roomRole = (roomId: string): string => `room:${roomId}`;

/** Undefined for an id that is no role of any Matrix community. */
export function parseRole(roleId: string): MatrixRole | undefined {
  if (roleId === memberRole) return { kind: 'member' };
  const [, digits] = /^level:(-?\d{1,15})$/.exec(roleId) ?? [];
  if (digits !== undefined) return { kind: 'level', level: Number(digits) };
  const roomId = roleId.startsWith('room:') ? roleId.slice('room:'.length) : '';
  return isRoomId(roomId) ? { kind: 'room', roomId } : undefined;
}
