import type { Row } from '../../../db/tables.ts';
import type { PublicKey } from '../../../kernel/record-key.ts';
import {
  type ChainReport,
  countSeal,
  newReport,
  type Problem,
  problemOf,
  type RetiredKey,
  trustedKeys,
} from '../seals/check-model.ts';
import type { Seal } from '../seals/model.ts';
import { eventIn, exportLine, sealIn } from './line-model.ts';

/** A file that is no export, or only a part of one. */
export class ExportFileError extends Error {}

/**
 * Checks an export line by line, in constant memory. Several exports can follow each other in a file, if each continues
 * the one before.
 */
export class ExportCheck {
  readonly report: ChainReport = newReport();
  readonly #current: PublicKey;
  readonly #retired: readonly RetiredKey[];
  #keys: readonly PublicKey[] = [];
  #line = 0;
  #isOpen = false;
  #after = 0;
  #enterpriseId: string | undefined;
  #previous: Seal | undefined;
  /** The seal whose events follow. */
  #seal: Seal | undefined;
  #events: Row<'Event'>[] = [];
  /** The last event of the file so far. */
  #lastEventId = 0;

  /** `retired` are keys before the current one, beside those that the file has. */
  constructor(current: PublicKey, retired: readonly RetiredKey[] = []) {
    this.#current = current;
    this.#retired = retired;
  }

  /** Takes a line. Returns the problem that it shows, after which there is no more to check. */
  take(text: string): Problem | undefined {
    this.report.problem = this.#take(text);
    return this.report.problem;
  }

  #take(text: string): Problem | undefined {
    this.#line++;
    const line = exportLine.safeParse(jsonOf(text)).data;
    if (!line || this.#isOpen === (line.type === 'export'))
      throw new ExportFileError(`Line ${this.#line} is not that of an export of the record.`);
    if (line.type === 'export') {
      this.#keys = trustedKeys(this.#current, [...this.#retired, ...keysOf(line.retired)]);
      this.#begin(line.enterprise.id, line.after);
    } else if (line.type === 'seal') {
      const problem = this.#endSeal();
      if (problem) return problem;
      this.#seal = sealIn(line);
      if (line.enterpriseId !== this.#enterpriseId)
        throw new ExportFileError(`Line ${this.#line} is a seal of another enterprise.`);
    } else if (line.type === 'event') {
      return this.#takeEvent(eventIn(line));
    } else {
      this.#isOpen = false;
      return this.#endSeal();
    }
    return undefined;
  }

  /** Call after the last line. */
  end(): ChainReport {
    if (this.#isOpen || this.#line === 0)
      throw new ExportFileError('The file does not have the end of an export. Download it again.');
    return this.report;
  }

  #begin(enterpriseId: string, after: number): void {
    this.#isOpen = true;
    // A part that continues elsewhere has no seal before it here.
    if (enterpriseId !== this.#enterpriseId || after < (this.#previous?.lastEventId ?? 0))
      this.#previous = undefined;
    if (after > this.#lastEventId) this.#previous = undefined;
    this.#enterpriseId = enterpriseId;
    this.#after = after;
    this.#lastEventId = after;
    this.report.unsealedEvents = 0;
  }

  #takeEvent(event: Row<'Event'>): Problem | undefined {
    const isSealed = this.#seal !== undefined && event.id <= this.#seal.lastEventId;
    if (event.id <= this.#lastEventId)
      return {
        message: `Event ${event.id} was added: it follows event ${this.#lastEventId}.`,
        eventId: event.id,
        sealNumber: this.#seal?.number ?? 0,
      };
    this.#lastEventId = event.id;
    if (!isSealed) {
      this.report.unsealedEvents++;
      return this.#endSeal();
    }
    this.#events.push(event);
    return this.#events.length > this.#seal!.eventCount ? this.#endSeal() : undefined;
  }

  #endSeal(): Problem | undefined {
    const seal = this.#seal;
    if (!seal) return undefined;
    const stretch = {
      seal,
      previous: this.#previous,
      events: this.#events,
      after: this.#after,
      keys: this.#keys,
    };
    const problem = problemOf(stretch);
    if (problem) return problem;
    countSeal(this.report, seal, this.#events.length);
    this.#previous = seal;
    this.#lastEventId = Math.max(this.#lastEventId, seal.lastEventId);
    this.#seal = undefined;
    this.#events = [];
    return undefined;
  }
}

const keysOf = (
  retired: readonly { kid: string; x: string; endorsedBy: string; signature: string; retiredAt: Date }[],
) => retired.map(({ kid, x, ...key }): RetiredKey => ({ id: kid, publicKey: x, ...key }));

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
