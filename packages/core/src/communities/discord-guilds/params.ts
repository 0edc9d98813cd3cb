import { T } from '@latchkey/kernel';
import { communityIdLimits } from '../../shared/community-id.ts';

/** The parameter that names a Discord community. */
export const guildParam = T.String({
  description: 'The Discord server: its own id, or the id of the community such as DIS#COMM#123.',
  ...communityIdLimits,
});

export function snowflake(description: string) {
  return T.String({ description, pattern: '^[0-9]{15,20}$', maxLength: 20 });
}
