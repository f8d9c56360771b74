interface Waiter {
  number: number;
  start(): void;
}

interface Group {
  underWay: number;
  waiting: Waiter[];
}

/**
 * Limits the number of concurrent calls, in total and per group. Other calls wait in a queue, first in, first out,
 * except for calls whose group is at its limit.
 */
export class Turns {
  readonly #most: number;
  readonly #mostOfGroup: number;
  readonly #groups = new Map<string, Group>();
  #underWay = 0;
  #number = 0;

  constructor(most: number, mostOfGroup: number) {
    this.#most = most;
    this.#mostOfGroup = mostOfGroup;
  }

  /** Runs the work when a place is free. Rejects with the signal's reason if it is aborted before that. */
  async run<T>(groupName: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const group = this.#groups.get(groupName) ?? { underWay: 0, waiting: [] };
    this.#groups.set(groupName, group);
    try {
      await this.#turn(group, signal);
      try {
        return await work();
      } finally {
        this.#underWay--;
        group.underWay--;
        this.#startNext();
      }
    } finally {
      if (group.underWay === 0 && group.waiting.length === 0) this.#groups.delete(groupName);
    }
  }

  #turn(group: Group, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = () => {
        group.waiting.splice(group.waiting.indexOf(waiter), 1);
        reject(signal!.reason);
      };
      const waiter: Waiter = {
        number: this.#number++,
        start: () => {
          signal?.removeEventListener('abort', leave);
          this.#underWay++;
          group.underWay++;
          resolve();
        },
      };
      group.waiting.push(waiter);
      signal?.addEventListener('abort', leave, { once: true });
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.#underWay >= this.#most) return;
    let next: Group | undefined;
    for (const group of this.#groups.values()) {
      if (group.waiting.length === 0 || group.underWay >= this.#mostOfGroup) continue;
      if (!next || group.waiting[0]!.number < next.waiting[0]!.number) next = group;
    }
    next?.waiting.shift()?.start();
  }
}
