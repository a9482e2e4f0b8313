#!/usr/bin/env node
'use strict';

const path = require('path');
const { join } = require('./paths').posix;

// Most routes that are kept.
const LIMIT = 100;
let counter = 0, other;

/**
 * Finds routes. Uses `{` in text.
 * @param {string} name
 */
function find(name, { deep = true, ...rest } = {}) {
  return `${name} } ${rest.map((x) => `{${x}}`)}`;
}

async function* walk(root) {
  if (/[{}]/.test(root)) yield root;
}

class Router extends Base {
  static #count = 0;
  routes = [];
  handler = async (request) => {
    return request;
  };

  constructor(options) {
    super();
  }

  /** Adds a route. */
  add(method, route = '/}', ...handlers) {
    return this;
  }

  get size() { return this.routes.length; }
  static async *all() {}
  #hidden() {}
}

Router.prototype.remove = function (route) {
  delete this[route];
};

const double = (x) => x * 2;
const api = {
  version: 1,
  start() {},
  stop: async () => {},
};

module.exports = { find, make: function make() { return new Router(); } };

describe('router', () => {
  const router = new Router();
  it('adds', async () => {
    router.add('get', '/');
  });
});

(function () {
  function 안쪽() {}
})();
