/*
 * Loaded into every Node that a test starts: what asks a host other than this machine is refused, and noted in the file GUARD_LOG.
 */
const { appendFileSync } = require("node:fs");
const dns = require("node:dns");
const net = require("node:net");

function isHere(host) {
  return host === undefined || /^(localhost|127\.[\d.]+|::1|\[::1\])$/.test(host);
}

function refuse(how, host) {
  appendFileSync(process.env.GUARD_LOG, `${how} ${host}\n`);
  return Object.assign(new Error(`${host} is not here`), { code: "ENOTFOUND" });
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const host = typeof first === "object" ? first.host : second;
  if (isHere(typeof host === "string" ? host : undefined)) return connect.apply(this, args);
  const error = refuse("connect", host);
  process.nextTick(() => this.destroy(error));
  return this;
};

for (const name of ["lookup", "resolve", "resolve4", "resolve6"]) {
  const [ask, promised] = [dns[name], dns.promises[name]];
  dns[name] = (host, ...rest) => (isHere(host) ? ask(host, ...rest) : rest.at(-1)(refuse(name, host)));
  dns.promises[name] = async (host, ...rest) => {
    if (isHere(host)) return promised(host, ...rest);
    throw refuse(name, host);
  };
}
