/** The data of each server-sent event of a response, in order. Comments, which only keep the line open, are left out. */
export async function* readEvents(response: Response): AsyncGenerator<string> {
  if (!response.ok || response.body === null) throw new Error(`The events were refused with ${response.status}.`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    while (true) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = block
          .split('\n')
          .filter((line) => line.startsWith('data:'))
          .map((line) => line.slice(5).trimStart());
        if (data.length > 0) yield data.join('\n');
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
