/**
 * The request that plugins see for a POST: a fetch Request that is created on first use of anything but its method.
 * Yoga itself only uses the method, and creating a Request takes as long as executing a small query.
 */
class LazyRequest {
  readonly method = 'POST';
  readonly #make: () => Request;
  #request: Request | undefined;

  constructor(make: () => Request) {
    this.#make = make;
  }

  get [Symbol.toStringTag]() {
    return 'Request';
  }

  static get(lazy: LazyRequest): Request {
    lazy.#request ??= lazy.#make();
    return lazy.#request;
  }
}

const overridden = new Set(['constructor', 'method']);

for (const name of Object.getOwnPropertyNames(Request.prototype).filter((each) => !overridden.has(each))) {
  Object.defineProperty(LazyRequest.prototype, name, {
    get(this: LazyRequest) {
      const request = LazyRequest.get(this);
      const value: unknown = Reflect.get(request, name);
      return typeof value === 'function' ? value.bind(request) : value;
    },
  });
}
Object.setPrototypeOf(LazyRequest.prototype, Request.prototype);

export const lazyRequest = (make: () => Request): Request => new LazyRequest(make) as unknown as Request;
