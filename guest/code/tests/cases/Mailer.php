<html>{ function no() {</html>
<?php
declare(strict_types=1);

namespace App\Mail;

use Psr\Log\LoggerInterface;
use App\{Models\User, Jobs\Job};

require_once __DIR__ . '/helpers.php';

const LIMIT = 10;

/**
 * Sends mail. Or not.
 */
#[Service(name: 'mailer')]
final class Mailer extends Base implements Sends, \Countable
{
    use LogsErrors, Retries;

    public const VERSION = '1.0';
    private static ?string $host = 'a}';
    protected readonly array $queue;

    public function __construct(
        private LoggerInterface $logger,
        protected int $retries = 3, # how often
    ) {
        $f = function () use ($logger) { return fn($x) => $x; };
    }

    /** Sends one. */
    public static function send(User|string $to, string ...$parts): ?bool
    {
        $text = <<<HTML
            } {$to->name} function no() {
            HTML;
        return true;
    }

    abstract protected function 준비(): void;
    private function hidden() { ?> <b>}</b> <?php }
}

interface Sends extends Marker { public function send(string $to); }

trait Retries
{
    protected $times = 1;
    function &retry() {}
}

enum Level: string
{
    case Low = 'low';
    case High = 'high';
    public function label(): string { return match($this) { self::Low => 'L' }; }
}

if (!function_exists('mail_to')) {
    /** Mails. */
    function mail_to(string $to = "x") { return $to; }
}
