import { chatPlatforms } from '@latchkey/kernel/chat-platforms';

const titles: Readonly<Record<string, { title: string } | undefined>> = chatPlatforms;

/** A chat platform as people call it. */
export function platformLabel(name: string): string {
  return titles[name]?.title ?? name;
}
