import type { Interaction, Message } from './interaction.ts';

export interface PermissionRequest {
  /** A client app of the same organization as the mini-app. */
  clientId: string;
  /** For example `['user:read']`. */
  scopes: readonly string[];
  /** Your message to the user. The server then asks for consent in its own words. */
  content: string;
}

/** Returns a message that asks the user for permission. Send it as a follow-up. */
export function permissionQuestion(
  interaction: Interaction,
  { clientId, scopes, content }: PermissionRequest,
): Message {
  const button = (label: string, style: number, word: string) => ({
    type: 2,
    style,
    label,
    custom_id: `$${word}-user-permissions:${interaction.id}`,
  });
  return {
    content,
    flags: 64,
    embeds: [
      {
        title: 'What I ask for',
        fields: [
          { name: 'action-client-id', value: clientId },
          { name: 'action-requested-scopes', value: scopes.join(' ') },
        ],
      },
    ],
    components: [{ type: 1, components: [button('Yes', 3, 'approve'), button('No', 4, 'deny')] }],
  };
}

/** Returns the user's decision, if this interaction is one. The token is valid for an hour, with exactly those scopes. */
export function permissionAnswer(
  interaction: Interaction,
): { isGranted: true; apiToken: string } | { isGranted: false } | undefined {
  const { custom_id: id = '' } = interaction.data ?? {};
  if (id.startsWith('$deny-user-permissions:')) return { isGranted: false };
  if (!id.startsWith('$approve-user-permissions:')) return undefined;
  const { apiToken } = interaction.actionContext;
  return apiToken === undefined ? { isGranted: false } : { isGranted: true, apiToken };
}

/** Returns the URL of the server that sent an interaction, where the user's token can be used. */
export function serverOf(interaction: Interaction): string | undefined {
  const { callbackUrl } = interaction.actionContext;
  return callbackUrl === undefined ? undefined : new URL(callbackUrl).origin;
}
