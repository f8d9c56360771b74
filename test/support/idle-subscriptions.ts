import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { endProcesses, startProcess } from './process.ts';

const sockets: Socket[] = [];

const token = 'a-token-of-at-least-32-characters';

/** A subscription without more of a client than a socket. Resolves when it has begun. */
function subscribe(port: number, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', reject);
    socket.on('data', (data) => {
      const text = data.toString();
      if (text.includes('retry: ')) resolve();
      else if (/^HTTP\/1.1 [345]|errors/.test(text)) reject(new Error(text));
    });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
}

/** Opens so many subscriptions on which nothing happens, and then one change. */
export function testIdleSubscriptions(count: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'trellis-idle-'));
  afterAll(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await endProcesses();
    rmSync(folder, { recursive: true, force: true });
  });

  it(`${count} idle subscriptions fit into a small heap, and all of them are notified`, {
    timeout: 600_000,
  }, async () => {
    const trellis = startProcess({
      DATABASE_URL: `file:${join(folder, 'trellis.db')}`,
      BOOTSTRAP_TOKEN: token,
      LOG_LEVEL: 'info',
      RATE_LIMIT_PER_SECOND: '0',
      MAX_SUBSCRIPTIONS_PER_TOKEN: String(count),
      HEARTBEAT_MS: '1000',
      // Without a limit, how much garbage is left when memory is measured is up to chance.
      NODE_OPTIONS: '--max-old-space-size=176',
    });
    const url = await trellis.listening;
    const port = Number(new URL(url).port);
    const ask = async (query: string) => {
      const answer = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify({ query }),
      });
      return (await answer.json()) as { data: unknown; errors?: unknown };
    };
    expect(
      (await ask('mutation { createTeam(input: { name: "idle" }) { __typename } }')).errors,
    ).toBeUndefined();
    const body = JSON.stringify({
      query: 'subscription { events(team: { name: "idle" }) { action team { name } } }',
    });
    for (let index = 0; index < count; index += 50) {
      await Promise.all(Array.from({ length: Math.min(50, count - index) }, () => subscribe(port, body)));
    }
    // Counted with what the heartbeats take.
    let heartbeats = 0;
    sockets[0]!.on('data', () => heartbeats++);
    await expect.poll(() => heartbeats, { timeout: 90_000 }).toBeGreaterThan(2);
    const resident = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${trellis.child.pid}/status`, 'utf8'))![1]) / 1024;
    expect(resident()).toBeLessThan(350);
    process.stderr.write(`${count} idle subscriptions: ${Math.round(resident())} MiB\n`);

    let notified = 0;
    for (const socket of sockets) {
      socket.on('data', (data) => {
        if (data.toString().includes('team.update')) notified++;
      });
    }
    const update = 'mutation { updateTeam(input: { team: { name: "idle" }, alias: "Idle" }) { __typename } }';
    expect((await ask(update)).errors).toBeUndefined();
    await expect.poll(() => notified, { timeout: 300_000 }).toBe(count);
  });
}
