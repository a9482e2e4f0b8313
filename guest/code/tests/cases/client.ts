import type { Options } from './options';
import fs, { readFile as read } from 'node:fs';
export * from './errors';
import legacy = require('legacy');

/** How a call may end. */
export type Result<T, E = Error> =
  | { ok: true; value: T }
  | { ok: false; error: E };

export interface Transport<T extends object = {}> extends Base {
  /** Where it leads. */
  readonly url: string;
  timeout?: number;
  send<K extends keyof T>(key: K, value: T[K]): Promise<void>;
  new (url: string): Transport;
  [key: string]: unknown;
}

export enum Level {
  Low = 1,
  /** The most. */
  High = 'high',
}

function parse(text: string): object;
function parse(text: Buffer): object;
function parse(text: any) {
  return JSON.parse(text);
}

@injectable({ scope: 'one' })
export abstract class Client<T> implements Transport<any> {
  private cache = new Map<string, () => void>();
  protected static count: number = 0;

  constructor(private readonly url: string, @inject('x') public name = "}") {
    super();
  }

  /** Calls it. And returns. */
  @retry(3)
  public async call<R>(
    method: string,
    ...args: unknown[]
  ): Promise<Result<R>> {
    return { ok: true, value: undefined as R };
  }

  abstract close(): void;
  get open(): boolean { return true; }
}

declare module 'legacy' {
  export function old(): void;
}

export namespace a.b {
  export const inner = 1;
}

const hidden: Record<string, (x: number) => string> = {};
export const make = <T,>(value: T): T[] => [value];
export default class extends Client<string> {}
