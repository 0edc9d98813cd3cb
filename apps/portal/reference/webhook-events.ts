import { sampleEventData } from '@latchkey/core/facts';
import { events, isEventType } from '@latchkey/kernel';

export interface WebhookEvent {
  type: string;
  meaning: string;
  payload: { type: string; timestamp: string; data: Record<string, unknown> };
}

const sampleClientId = 'sampleApplication0001';

/** Returns every event that a webhook can send, with its body. */
export function webhookEvents(): WebhookEvent[] {
  return Object.keys(events)
    .filter(isEventType)
    .map((type) => ({
      type,
      meaning: events[type],
      payload: { type, timestamp: '2026-01-01T00:00:00.000Z', data: sampleEventData(type, sampleClientId) },
    }));
}
