export interface Live {
  url: string;
  token: string;
  subscription: string;
  variables: object;
  signal: AbortSignal;
}

/**
 * Follows a subscription. Calls `onChange` without an item when it begins, because what happened before is in no item, and
 * then with each item. After an interruption it continues behind the last item.
 */
export async function follow(live: Live, onChange: (item?: any) => void): Promise<void> {
  const { url, token, subscription: query, variables, signal } = live;
  let lastId: string | undefined;
  let waitMs = 500;
  while (!signal.aborted) {
    try {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: {
          Accept: 'text/event-stream',
          'Content-Type': 'application/json',
          Authorization: `Bearer ${token}`,
          ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
        },
        body: JSON.stringify({ query, variables }),
        signal,
      });
      // The server is overloaded or stops.
      if (response.status === 429 || response.status >= 500) throw new Error(response.statusText);
      if (!response.ok) return onChange(await response.json());
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        waitMs = 500;
        const messages = (rest + read.value).split('\n\n');
        rest = messages.pop()!;
        for (const message of messages) {
          const { id, event, data } = fieldsOf(message);
          if (id !== undefined) lastId = id;
          if (id !== undefined && !event) onChange();
          if (event === 'next') onChange(JSON.parse(data!));
          if (event === 'complete') return;
        }
      }
    } catch {
      // The connection was lost.
    }
    if (signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(2 * waitMs, 10_000);
  }
}

/** The fields of a server-sent event. */
const fieldsOf = (message: string): { id?: string; event?: string; data?: string } =>
  Object.fromEntries(
    message.split('\n').map((line) => {
      const end = line.indexOf(':');
      return [line.slice(0, end), line.slice(end + 1).trimStart()];
    }),
  );
