/** A user interaction, in Discord's form: https://discord.com/developers/docs/interactions/receiving-and-responding */
export interface Interaction {
  id: string;
  /** 2: a command, 3: a button or menu, 4: autocomplete, 5: a form. */
  type: number;
  data?: {
    /** Of a command. */
    name?: string;
    /** Of a button, a menu or a form. */
    custom_id?: string;
    options?: readonly { name: string; type: number; value?: unknown }[];
    values?: readonly string[];
    [field: string]: unknown;
  };
  guild_id?: string;
  channel_id?: string;
  member?: { user?: User; roles?: readonly string[]; [field: string]: unknown };
  user?: User;
  message?: { id: string; [field: string]: unknown };
  /** What Latchkey adds, as listed in `requiredContext` of your metadata. */
  actionContext: ActionContext;
  [field: string]: unknown;
}

export interface User {
  id: string;
  username?: string;
  [field: string]: unknown;
}

export interface ActionContext {
  /** The URL for further messages, for 15 minutes. It needs no key: keep it secret. Absent while your app is probed. */
  callbackUrl?: string;
  /** A token of the user, after they granted the requested permission. */
  apiToken?: string;
  guildName?: string;
  isCommunityAdmin?: boolean;
  gmPassAddress?: string;
  /** The settings that the community admins chose for your app. */
  installationMetadata?: unknown;
  [field: string]: unknown;
}

/** The body of a request to `/events`. */
export interface MiniAppEvent {
  event: string;
  timestamp?: unknown;
  guildId?: string;
  [field: string]: unknown;
}

/** A message, in Discord's form. */
export interface Message {
  content?: string;
  flags?: number;
  embeds?: readonly unknown[];
  components?: readonly unknown[];
  [field: string]: unknown;
}

/** An interaction response, in Discord's form. */
export interface InteractionResponse {
  type: number;
  data?: Message;
}

/** Returns the value of a command option, or undefined. */
export function optionOf(interaction: Interaction, name: string): unknown {
  return interaction.data?.options?.find((option) => option.name === name)?.value;
}

/** Returns a message as the response. Only the user sees it unless `isPublic` is set. */
export function say(message: string | Message, { isPublic = false }: { isPublic?: boolean } = {}): InteractionResponse {
  const data = typeof message === 'string' ? { content: message } : message;
  return { type: 4, data: isPublic ? data : { ...data, flags: (data.flags ?? 0) | 64 } };
}
