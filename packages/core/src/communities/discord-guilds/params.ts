import { T } from '@latchkey/kernel';

/** The parameter that names a Discord community. */
export const guildParam = T.String({
  description: 'The Discord server: its own id, or the id of the community such as DIS#COMM#123.',
  minLength: 1,
  maxLength: 100,
});

export function snowflake(description: string) {
  return T.String({ description, pattern: '^[0-9]{15,20}$', maxLength: 20 });
}
