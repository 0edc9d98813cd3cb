import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DiscordComponent,
  type DiscordForm,
  discordComponents,
  discordFlags,
  discordResponses,
} from '@latchkey/core/ports';
import {
  type APIMessageTopLevelComponent,
  type APIModalInteractionResponseCallbackData,
  ComponentType,
  InteractionResponseType,
  MessageFlags,
} from 'discord-api-types/v10';

/** An enum of texts as the texts themselves, which the bot writes. */
type Written<Value> = Value extends string
  ? `${Value}`
  : Value extends object
    ? { [Name in keyof Value]: Written<Value[Name]> }
    : Value;

/** These compile only while everything that the bot writes fits Discord’s own types. */
const asComponent = (component: DiscordComponent): APIMessageTopLevelComponent => component;
const asForm = (form: DiscordForm): Written<APIModalInteractionResponseCallbackData> => form;

test('components, forms and flags have the numbers of Discord’s own types', () => {
  assert.deepEqual(discordComponents, {
    row: ComponentType.ActionRow,
    button: ComponentType.Button,
    select: ComponentType.StringSelect,
    textInput: ComponentType.TextInput,
    userSelect: ComponentType.UserSelect,
    section: ComponentType.Section,
    text: ComponentType.TextDisplay,
    separator: ComponentType.Separator,
    container: ComponentType.Container,
    label: ComponentType.Label,
  });
  assert.deepEqual(discordFlags, {
    ephemeral: MessageFlags.Ephemeral,
    componentsV2: MessageFlags.IsComponentsV2,
  });
  assert.deepEqual(discordResponses, {
    pong: InteractionResponseType.Pong,
    message: InteractionResponseType.ChannelMessageWithSource,
    later: InteractionResponseType.DeferredChannelMessageWithSource,
    form: InteractionResponseType.Modal,
  });
  assert.equal(asComponent({ type: 10, content: 'Hi' }).type, ComponentType.TextDisplay);
  assert.equal(asForm({ custom_id: 'a', title: 'Ask', components: [] }).title, 'Ask');
});
