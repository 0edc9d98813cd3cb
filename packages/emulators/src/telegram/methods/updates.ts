import type { Call, Method } from '../call.ts';
import { badRequest, conflict } from '../errors.ts';
import { viewUpdate } from '../mailbox.ts';

export const updateMethods: Readonly<Record<string, Method>> = {
  getUpdates: async ({ params, mailbox, webhooks, bot }) => {
    if (webhooks.find(bot)) {
      throw conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    mailbox.allow(params.texts('allowed_updates'));
    const offset = params.number('offset');
    if (offset !== undefined) mailbox.confirm(offset);
    const limit = Math.min(100, Math.max(1, params.number('limit') ?? 100));
    return (await mailbox.wait(params.number('timeout') ?? 0, limit)).map(viewUpdate);
  },
  setWebhook: (call) => {
    const { params, webhooks, bot, mailbox } = call;
    const url = params.text('url') ?? '';
    if (url === '') return removeWebhook(call);
    // The real service requires HTTPS; the emulator also accepts local servers without it.
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
      throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
    }
    const secretToken = params.text('secret_token');
    if (secretToken !== undefined && !/^[\w-]{1,256}$/.test(secretToken)) {
      throw badRequest('secret token contains unallowed characters');
    }
    if (params.flag('drop_pending_updates')) mailbox.clear();
    mailbox.allow(params.texts('allowed_updates'));
    mailbox.stop();
    webhooks.set(bot, { url, secretToken, maxConnections: params.number('max_connections') ?? 40 });
    return true;
  },
  deleteWebhook: (call) => removeWebhook(call),
  getWebhookInfo: ({ webhooks, bot, mailbox }) => {
    const webhook = webhooks.find(bot);
    const allowed = mailbox.allowed();
    return {
      url: webhook?.options.url ?? '',
      has_custom_certificate: false,
      pending_update_count: mailbox.pending().length,
      ...(webhook === undefined ? {} : { max_connections: webhook.options.maxConnections }),
      ...(allowed === undefined ? {} : { allowed_updates: allowed }),
      ...(webhook?.failure === undefined
        ? {}
        : { last_error_date: webhook.failure.atSeconds, last_error_message: webhook.failure.message }),
    };
  },
};

function removeWebhook({ params, webhooks, bot, mailbox }: Call): true {
  if (params.flag('drop_pending_updates')) mailbox.clear();
  webhooks.set(bot, undefined);
  return true;
}
